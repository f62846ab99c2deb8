/** Grants that a client takes before it lets the others go first. */
const RUN = 4;
/** The same when nobody took what was left to them, again and again. */
const RUN_MAX = 64;
/** A lock that was told to be free and is not taken for so long is wanted by nobody else. */
const QUIET_MS = 3;
/** Listeners that count, in case most of them only listen. */
const OTHERS_MAX = 4;

/**
 * Keeps a client from getting a lock again and again while other processes wait for it: it learns of
 * its own release before they do, and would win nearly every race. Redisson's threads stand in no
 * line for a plain lock, so all that can be done for them is not to run.
 *
 * Each of our grants owes one to everybody else who listens, and each release of theirs settles one.
 * It only ever delays an ask, by no more than 3 ms after the last release that was heard of, and by
 * sixteen of those: a wait of a few milliseconds may end in that time.
 */
export class FairShare {
  #owed = 0;
  #run = RUN;
  #standsBack = false;
  #heardAt = 0;
  /** The next message is that of our own release. */
  #expectsOwn = false;

  /** A release of ours is sent: nobody else can release the lock before it. */
  releasing(): void {
    this.#expectsOwn = true;
  }

  /** It has freed nothing, and nothing was told. */
  kept(): void {
    this.#expectsOwn = false;
  }

  /** A release of ours was told to so many others. */
  freed(listeners: number, now: number): void {
    const others = Math.min(listeners, OTHERS_MAX);
    if (this.#standsBack) {
      // What was left to them, we have got ourselves.
      this.#owed = 0;
      this.#run = Math.min(2 * this.#run, RUN_MAX);
    }
    this.#owed += others;
    this.#standsBack = others > 0 && this.#owed >= this.#run * others;
    this.#heardAt = now;
  }

  /** A message says that the lock is free. */
  heard(now: number): void {
    this.#heardAt = now;
    if (this.#expectsOwn) {
      this.#expectsOwn = false;
      return;
    }
    this.#run = RUN;
    // Of a larger run there is no more to settle either.
    this.#owed = Math.min(Math.max(0, this.#owed - 1), RUN * OTHERS_MAX);
    this.#standsBack &&= this.#owed > 0;
  }

  /** How long to leave the lock to others. */
  delayMs(now: number): number {
    return this.#standsBack ? Math.max(0, this.#heardAt + QUIET_MS - now) : 0;
  }
}
