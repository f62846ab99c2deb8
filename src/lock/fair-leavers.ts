import { EndOfTurn } from '../core/base/end-of-turn.js';
import type { Asks, Left } from '../core/locks/ticket.js';

/** So many entries leave the queue with one command: the server is never busy with it for long. */
const LEAVE_PER_COMMAND = 100;

/** The waiters of one client for a fair lock that have given up: many leave the queue with one command. */
export class FairLeavers {
  readonly #asks: Asks;
  #holderIds: string[] = [];
  #endOfTurn: EndOfTurn | undefined;
  /** Until when the server may have had the entry of one that has given up; Infinity: it may have one now. */
  entriesUntil: number = -Infinity;
  #leaving = 0;

  constructor(asks: Asks) {
    this.#asks = asks;
  }

  /** A ticket may leave nothing. `isLast`: nobody of this client is left that could leave with it. */
  add(left: Left | undefined, isLast: boolean): void {
    if (left !== undefined) {
      this.#leaving += 1;
      this.entriesUntil = Infinity;
    }
    if (left?.hasUnackedCopy === true) {
      this.#asks.cancel({ ...left, done: () => this.#left(1) });
    } else if (left !== undefined) {
      this.#holderIds.push(left.holderId);
    }
    if (isLast || this.#holderIds.length === LEAVE_PER_COMMAND) {
      this.#leave();
    } else {
      this.#endOfTurn ??= new EndOfTurn(this.#clock, () => this.#leave());
      this.#endOfTurn.request();
    }
  }

  get #clock() {
    return this.#asks.locks.services.clock;
  }

  #leave(): void {
    const [holderId, ...others] = this.#holderIds;
    this.#holderIds = [];
    if (holderId !== undefined) {
      const done = () => this.#left(1 + others.length);
      this.#asks.cancel({ holderId, hasUnackedCopy: false, others, done });
    }
  }

  #left(count: number): void {
    this.#leaving -= count;
    this.entriesUntil = this.#leaving > 0 ? Infinity : this.#clock.now();
  }
}
