import type { AcquireTimeoutError } from '../../errors.js';
import { whenSettled } from '../base/async-context.js';
import type { Clock, Timer } from '../base/clock.js';
import type { Holder } from './events.js';

/** Holders are looked for so long before a wait ends, or in the middle of what is left of it. */
const BEFORE_MS = 100;

/** Waits that end within this time share a look. */
const SHARED_MS = 50;

/** The holders of an object that this client waits for, as it has last seen them. */
export class LastSeen {
  readonly #clock: Clock;
  readonly #find: () => Promise<readonly Holder[]>;
  readonly #isOwn: (holderId: string) => boolean;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #found: readonly Holder[] = [];
  #foundAt = 0;

  constructor(
    clock: Clock,
    find: () => Promise<readonly Holder[]>,
    isOwn: (holderId: string) => boolean,
  ) {
    this.#clock = clock;
    this.#find = find;
    this.#isOwn = isOwn;
  }

  /** Looks a moment before a wait ends. */
  lookBefore(endsAt: number): Timer {
    const leftMs = endsAt - this.#clock.now();
    return this.#clock.after(Math.max(leftMs - BEFORE_MS, leftMs / 2), () => this.#look());
  }

  /** With what is left of their leases now. */
  get holders(): AcquireTimeoutError['holders'] {
    const passedMs = this.#clock.now() - this.#foundAt;
    return this.#found.map(({ holderId, remainingMs }) => ({
      holderId,
      remainingMs: Math.max(0, Math.round(remainingMs - passedMs)),
      isOwnClient: this.#isOwn(holderId),
    }));
  }

  #look(): void {
    const now = this.#clock.now();
    if (now - this.#lookedAt < SHARED_MS) {
      return;
    }
    this.#lookedAt = now;
    whenSettled(
      this.#find(),
      (found) => {
        this.#found = found;
        this.#foundAt = this.#clock.now();
      },
      // The error of the wait says why there is no answer, where it lasts.
      () => {},
    );
  }
}

/** Names the first of some holders; undefined where there is none. */
export function firstOf([first]: AcquireTimeoutError['holders']): string | undefined {
  if (first === undefined) {
    return undefined;
  }
  const { holderId, remainingMs } = first;
  return Number.isFinite(remainingMs)
    ? `${holderId} (lease ends in ${remainingMs.toLocaleString('en-US')} ms)`
    : `${holderId} (its lease has no end)`;
}
