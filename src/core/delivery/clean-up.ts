import { ClosedError } from '../../errors.js';
import type { PendingCall } from '../wire/call.js';
import type { KeepAlive, Clock } from '../base/clock.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';

/** How long a burnt holder id or request number is relied on to be remembered. */
export const MEMORY_MS = 600_000;

/** How a clean-up may end. */
export interface CleanUpEnding {
  /** It has failed, or was given up. */
  readonly failed?: () => void;
  /** It has ended, in whatever way. */
  readonly done?: () => void;
  /** It is given up after some ten minutes, since it relies on what the server remembers of a call, or
   * counts itself: at once, or only when it was sent. The server remembers for thirty. */
  readonly limit?: 'from now' | 'once sent';
}

/** The same, and what it was answered. */
export interface Background<R> extends CleanUpEnding {
  readonly answered?: ((answer: R) => void) | undefined;
}

/** What clean-up needs of those who deliver. */
export interface CleanUpParts {
  readonly clock: Clock;
  readonly keepAlive: Pick<KeepAlive, 'ref' | 'unref'>;
  /** Told of what fails. */
  readonly failed: (error: Error) => void;
  /** Deadlines of callers. */
  readonly timeouts: DeadlineQueue;
  readonly abandon: (call: PendingCall) => void;
  /** There is less to clean up. */
  readonly ended: () => void;
}

/** The calls that go on behind their callers' backs. */
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
    // It keeps the process alive only as long as a caller's command would.
    const alive = new Limit(() => keepAlive.unref());
    keepAlive.ref();
    timeouts.add(alive);
    const forgotten = new Limit(() => {
      if (limit === 'once sent' && !(clock.now() - call.sentAt >= MEMORY_MS)) {
        // Not sent yet, or not long ago: it is looked at again, before the server could forget it.
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
        failed?.();
      }
    });
  }

  /** A call was answered or has failed; nothing happens unless it is one of these. */
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

  close(): void {
    this.#memories.close();
  }
}
