// What a test file leaves open ends with it, also where several files share a process and a module is
// evaluated for the first of them only: `vitest.config.ts` runs `endings.ts` before each file.

type End = () => Promise<void> | void;

const ends: End[] = [];

/** Registers, when its module is evaluated, what is done at the end of every test file. */
export function atFileEnd(end: End): void {
  ends.push(end);
}

/** What was registered last ends first. One that fails keeps no other from ending. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    throw new AggregateError(errors, 'a test file could not end what it had left open');
  }
}
