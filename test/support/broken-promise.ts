/**
 * A promise of the library is broken: two owners, a token that does not grow, a permit lost or doubled, a counted call
 * carried out twice, a grant without exactly one end, a key or channel left. No busy machine excuses it: the gate
 * fails at first sight, where it runs any other failure again.
 */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
  /** It is no news behind another failure: a test that has failed leaves what it would have cleared away. */
  readonly mayFollow: boolean;

  constructor(message: string, { cause, mayFollow = false }: BrokenPromiseOptions = {}) {
    super(message, { cause });
    this.mayFollow = mayFollow;
  }
}

interface BrokenPromiseOptions {
  readonly cause?: unknown;
  readonly mayFollow?: boolean;
}

/**
 * Runs assertions about a promise of the library.
 *
 * @param promise in words: the message of the error begins with it
 * @param check throws when it is broken
 * @throws BrokenPromise whose cause is what was thrown
 */
export function promised(promise: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new BrokenPromise(`${promise}: ${detail}`, { cause: error });
  }
}
