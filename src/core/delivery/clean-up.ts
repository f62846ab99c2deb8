import { ClosedError } from '../../errors.js';
import type { PendingCall, Undoing } from '../wire/call.js';
import type { KeepAlive, Clock } from '../base/clock.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';

/** How long the server is relied on to remember the tombstone of a holder id or request number. */
export const MEMORY_MS = 600_000;

/** What to do when a clean-up ends, and whether its time is limited. */
export interface CleanUpEnding {
  /** Called when it has failed or was given up. */
  readonly failed?: (error: Error) => void;
  /** Called when it has ended, in whatever way. */
  readonly done?: () => void;
  /** For a clean-up that relies on what the server remembers of a call (for thirty minutes), or that counts: it is
   * given up ten minutes from now; or, where nothing was run before, ten minutes or more after a copy was sent that may
   * have run. */
  readonly limit?: 'from now' | 'once sent';
}

/** The same, with a function that gets the answer. */
export interface Background<R> extends CleanUpEnding {
  readonly answered?: ((answer: R) => void) | undefined;
  readonly undoes?: Undoing | undefined;
}

/** What clean-up needs of delivery. */
export interface CleanUpParts {
  readonly clock: Clock;
  readonly keepAlive: Pick<KeepAlive, 'ref' | 'unref'>;
  /** Called with each error of a clean-up, except when the client closes. */
  readonly failed: (error: Error) => void;
  /** Deadlines of callers. */
  readonly timeouts: DeadlineQueue;
  readonly abandon: (call: PendingCall) => void;
  /** Called when a clean-up has ended. */
  readonly ended: () => void;
}

/** The calls that go on in the background, after their callers have stopped waiting. */
export class CleanUp {
  readonly #parts: CleanUpParts;
  readonly #memories: DeadlineQueue;
  readonly #calls = new Map<PendingCall, (error?: Error) => void>();

  constructor(parts: CleanUpParts) {
    this.#parts = parts;
    this.#memories = new DeadlineQueue(parts.clock, MEMORY_MS);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Lets a call go on until it is answered, through outages of any length unless it is limited. */
  add(call: PendingCall, { done, failed, limit }: CleanUpEnding = {}): void {
    const { keepAlive, timeouts, abandon, clock } = this.#parts;
    // It keeps the process alive no longer than a caller's command would.
    const alive = new Limit(() => keepAlive.unref());
    keepAlive.ref();
    timeouts.add(alive);
    const forgotten = new Limit(() => {
      const isOld = call.mayHaveRun && clock.now() - call.mayRunSince >= MEMORY_MS;
      if (limit === 'once sent' && !isOld) {
        // No copy of it may have run, or not long ago: it is checked again, before the server could forget it.
        this.#memories.add(forgotten);
        return;
      }
      abandon(call);
      this.finished(call, new Error('a clean-up was given up after ten minutes'));
    });
    if (limit !== undefined) {
      this.#memories.add(forgotten);
    }
    this.#calls.set(call, (error) => {
      if (timeouts.delete(alive)) {
        keepAlive.unref();
      }
      this.#memories.delete(forgotten);
      done?.();
      if (error !== undefined) {
        failed?.(error);
      }
    });
  }

  /** A call was answered or has failed. Other calls than these are ignored. */
  finished(call: PendingCall, error?: Error): void {
    const end = this.#calls.get(call);
    if (end === undefined) {
      return;
    }
    this.#calls.delete(call);
    end(error);
    if (error !== undefined && !(error instanceof ClosedError)) {
      this.#parts.failed(error);
    }
    this.#parts.ended();
  }

  /** What a call would undo has ended by itself: it is not sent again. False while it waits for an answer. */
  stop(call: PendingCall): boolean {
    if (call.isUnanswered) {
      return false;
    }
    this.#parts.abandon(call);
    this.finished(call);
    return true;
  }

  close(): void {
    this.#memories.close();
  }
}
