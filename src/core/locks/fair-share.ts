/** Grants that a client gets before it lets the others go first. */
const RUN = 4;
/** The same limit after the others have repeatedly not used the turns left to them. */
const RUN_MAX = 64;
/** A lock that is still free this long after a message is wanted by nobody else. */
const QUIET_MS = 3;
/** Listeners that count at most, since some of them may only listen. */
const OTHERS_MAX = 4;

/**
 * Keeps a client from getting a lock again and again while other processes wait for it: it learns
 * of its own release before they do, and would win nearly every race. Redisson has no wait queue
 * for a plain lock, so the only way to let its threads in is not to ask for a moment.
 *
 * Each of our grants owes one to every other listener, and each release by another settles one. An
 * ask is only ever delayed until 3 ms after the last release heard of, over at most sixteen
 * releases in a row: a wait of a few milliseconds may run out in that time.
 */
export class FairShare {
  #owed = 0;
  #run = RUN;
  #standsBack = false;
  /** The turn that was left to the others is over, and this client asks all the same. */
  #asksAgain = false;
  #heardAt = 0;
  /** The next message is that of our own release. */
  #expectsOwn = false;

  /** A release of ours is sent: nobody else can release the lock before it. */
  releasing(): void {
    this.#expectsOwn = true;
  }

  /** That release freed nothing and notified nobody. */
  kept(): void {
    this.#expectsOwn = false;
  }

  /** A release of ours has notified so many others. */
  freed(listeners: number, now: number): void {
    const others = Math.min(listeners, OTHERS_MAX);
    if (this.#asksAgain) {
      // They did not use the turn that was left to them: this client got it.
      this.#asksAgain = false;
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
    this.#asksAgain = false;
    this.#run = RUN;
    // After a larger run there is no more to settle than this either.
    this.#owed = Math.min(Math.max(0, this.#owed - 1), RUN * OTHERS_MAX);
    this.#standsBack &&= this.#owed > 0;
  }

  /** How many ms more to leave the lock to others; at 0 this client asks. */
  delayMs(now: number): number {
    const leftMs = this.#standsBack ? Math.max(0, this.#heardAt + QUIET_MS - now) : 0;
    this.#asksAgain ||= this.#standsBack && leftMs === 0;
    return leftMs;
  }
}
