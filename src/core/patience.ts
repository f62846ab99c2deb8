import type { LeaseLostError } from '../errors.js';
import { whenAborted } from './abort-waits.js';
import { Chain, Chained } from './chain.js';
import { deadline } from './clock.js';
import type { Clock, Timer } from './clock.js';

/** Why a caller stopped waiting. */
export type Ending =
  | { readonly why: 'timeout' }
  | { readonly why: 'aborted'; readonly reason: unknown }
  | { readonly why: 'lost'; readonly error: LeaseLostError }
  | { readonly why: 'closed' };

/** What bounds a wait; nothing given means without limit. */
export interface PatienceLimits {
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The callers that wait for something just now; while there are any the process stays alive. */
export class Waits {
  readonly #open = new Chain<Patience>();
  readonly #anchor: { hold(): void; drop(): void };

  constructor(anchor: { hold(): void; drop(): void }) {
    this.#anchor = anchor;
  }

  add(patience: Patience): void {
    this.#open.push(patience);
    this.#anchor.hold();
  }

  delete(patience: Patience): void {
    if (this.#open.delete(patience)) {
      this.#anchor.drop();
    }
  }

  /** Ends every wait: the client is closing. */
  close(): void {
    const open = [...this.#open];
    for (const patience of open) {
      patience.end({ why: 'closed' });
    }
  }
}

/**
 * How long one caller waits: until its time is up, its signal aborts or the client closes. It
 * bounds all steps of a call together, and each step says by `onEnd` what ending it means.
 */
export class Patience extends Chained {
  /** Set once; from then on every further step ends at once. */
  ending: Ending | undefined;
  onEnd: ((ending: Ending) => void) | undefined;
  readonly startedAt: number;
  readonly #waits: Waits;
  readonly #timer: Timer | undefined;
  readonly #ignoreSignal: (() => void) | undefined;

  constructor(clock: Clock, waits: Waits, { limitMs, signal }: PatienceLimits) {
    super();
    this.startedAt = clock.now();
    this.#waits = waits;
    waits.add(this);
    if (limitMs !== undefined) {
      this.#timer = deadline(clock, limitMs, () => this.end({ why: 'timeout' }));
    }
    if (signal !== undefined) {
      this.#ignoreSignal = whenAborted(signal, () => {
        this.end({ why: 'aborted', reason: signal.reason });
      });
    }
  }

  end(ending: Ending): void {
    if (this.ending === undefined) {
      this.ending = ending;
      this.onEnd?.(ending);
    }
  }

  /** Must be called when the caller has been served, whatever came of it. */
  dispose(): void {
    this.onEnd = undefined;
    this.#timer?.cancel();
    this.#ignoreSignal?.();
    this.#waits.delete(this);
  }
}
