import type { AcquireTimeoutError, LeaseLostError } from '../../errors.js';
import { originOf } from '../base/origin.js';
import type { LastSeen } from '../observe/last-seen.js';
import { whenAborted } from './abort-waits.js';
import { LinkedList, Linked } from '../base/linked-list.js';
import { deadline, type Clock, type Timer } from '../base/clock.js';

/** Why a caller stopped waiting. */
export type Ending =
  | { readonly why: 'timeout' }
  | { readonly why: 'aborted'; readonly reason: unknown }
  | { readonly why: 'lost'; readonly error: LeaseLostError }
  | { readonly why: 'closed' };

/** The limits of a wait; by default there is none. */
export interface WaitLimits {
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Contention rejects, with the holders of what was waited for; else the call answers null. */
  readonly rejects?: boolean | undefined;
  /** The wait of which this one is a step. The step begins and ends with it, and has no timer of its own. */
  readonly stepOf?: WaitLimit | undefined;
}

/** The waits of callers under way; while there are any, the process is kept alive. */
export class Waits {
  readonly #open = new LinkedList<WaitLimit>();
  readonly #keepAlive: { ref(): void; unref(): void };

  constructor(keepAlive: { ref(): void; unref(): void }) {
    this.#keepAlive = keepAlive;
  }

  add(waitLimit: WaitLimit): void {
    this.#open.push(waitLimit);
    this.#keepAlive.ref();
  }

  delete(waitLimit: WaitLimit): void {
    if (this.#open.delete(waitLimit)) {
      this.#keepAlive.unref();
    }
  }

  /** Ends every wait: the client is closing. */
  close(): void {
    const open = [...this.#open];
    for (const waitLimit of open) {
      waitLimit.end({ why: 'closed' });
    }
  }
}

/**
 * How long one caller waits: until its time is up, its signal aborts or the client closes. It
 * bounds all steps of a call together; each step sets `onEnd` to be told of the end.
 */
export class WaitLimit extends Linked {
  /** Set once; from then on every further step ends at once. */
  ending: Ending | undefined;
  onEnd: ((ending: Ending) => void) | undefined;
  readonly startedAt: number;
  /** Infinity: it has no limit. */
  readonly endsAt: number;
  readonly rejects: boolean;
  /** Where the program has made the call, if that is wanted. */
  readonly origin: string | undefined;
  /** Set where it waits for holders that can be found. */
  lastSeen: LastSeen | undefined;
  readonly #waits: Waits;
  readonly #timer: Timer | undefined;
  readonly #ignoreSignal: (() => void) | undefined;

  constructor(clock: Clock, waits: Waits, { limitMs, signal, rejects, stepOf }: WaitLimits) {
    super();
    this.startedAt = stepOf?.startedAt ?? clock.now();
    this.endsAt = stepOf?.endsAt ?? this.startedAt + (limitMs ?? Infinity);
    this.rejects = stepOf?.rejects ?? rejects === true;
    this.origin = stepOf === undefined ? originOf() : stepOf.origin;
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

  /** The holders of what it waits for, as last seen. */
  get holders(): AcquireTimeoutError['holders'] {
    return this.lastSeen?.holders ?? [];
  }

  end(ending: Ending): void {
    if (this.ending === undefined) {
      this.ending = ending;
      // The error of its caller takes some turns: a client that is closed has no timer meanwhile.
      this.#timer?.cancel();
      this.onEnd?.(ending);
    }
  }

  /** Must be called when the caller has been served, with or without success. */
  dispose(): void {
    this.onEnd = undefined;
    this.#timer?.cancel();
    this.#ignoreSignal?.();
    this.#waits.delete(this);
  }
}
