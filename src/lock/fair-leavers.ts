import { EndOfTurn } from '../core/base/end-of-turn.js';
import type { Asks, LeftTicket } from '../core/locks/ticket.js';

/** So many entries leave the queue with one command: the server is never busy with it for long. */
const LEAVE_PER_COMMAND = 100;

/** The waiters of one client for a fair lock that have given up: many leave the queue with one command. */
export class FairLeavers {
  readonly #asks: Asks;
  #holderIds: string[] = [];
  #endOfTurn: EndOfTurn | undefined;

  constructor(asks: Asks) {
    this.#asks = asks;
  }

  /** A ticket may leave nothing. `isLast`: nobody of this client is left that could leave with it. */
  add(left: LeftTicket | undefined, isLast: boolean): void {
    if (left?.hasUnackedCopy === true) {
      this.#asks.cancel(left.holderId, true, left.ask);
    } else if (left !== undefined) {
      this.#holderIds.push(left.holderId);
    }
    if (isLast || this.#holderIds.length === LEAVE_PER_COMMAND) {
      this.#leave();
    } else {
      const { clock } = this.#asks.locks.services;
      this.#endOfTurn ??= new EndOfTurn(clock, () => this.#leave());
      this.#endOfTurn.request();
    }
  }

  #leave(): void {
    const [first, ...others] = this.#holderIds;
    this.#holderIds = [];
    if (first !== undefined) {
      this.#asks.cancel(first, false, undefined, others);
    }
  }
}
