import type { LatchView } from './protocol.js';
import type { Watcher } from './shared-poll.js';

/** One caller of `wait()`, which waits for the latch that its first look found. */
export class LatchWaiter implements Watcher<LatchView> {
  /** The mark that the first look read. */
  #mark: string | undefined;
  /** The server's time at which the latch ends, as the last look named it. */
  #endsAt = Number.POSITIVE_INFINITY;
  readonly #looksOnce: boolean;
  readonly #done: (result: boolean) => void;
  readonly fail: (error: Error) => void;

  constructor(looksOnce: boolean, done: (result: boolean) => void, fail: (error: Error) => void) {
    this.#looksOnce = looksOnce;
    this.#done = done;
    this.fail = fail;
  }

  get hasSeen(): boolean {
    return this.#mark !== undefined;
  }

  see(view: LatchView): boolean {
    const isOver = view.count === 0 || this.#isAnother(view);
    this.#mark ??= view.mark;
    this.#endsAt = view.ttlMs < 0 ? Number.POSITIVE_INFINITY : view.now + view.ttlMs;
    if (isOver || this.#looksOnce) {
      this.#done(isOver);
    }
    return isOver || this.#looksOnce;
  }

  /** True when the latch that the first look found is over, though one is set. */
  #isAnother({ mark, now }: LatchView): boolean {
    // Every set, zero and deletion of ours leaves a mark of its own, and a latch is set only where there
    // is none. A mark that is gone proves nothing: it may have ended before its latch.
    const isMarked = this.#mark !== undefined && mark !== '' && mark !== this.#mark;
    // It does not matter who has set the next one. The end of the last look counts, not of the first one: it may
    // have been moved by hand.
    return isMarked || now > this.#endsAt;
  }
}
