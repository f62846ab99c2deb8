import { LinkedList } from '../core/base/linked-list.js';
import type { LockWaiter } from '../core/locks/wait-queue.js';
import type { FairTicket } from './fair-ticket.js';

/** The waiters of one client for one fair lock, in the order in which they are served, and their tickets. */
export class FairTickets {
  readonly #waiters = new LinkedList<LockWaiter>();
  readonly #tickets = new Map<LockWaiter, FairTicket>();

  /** The ticket of the first waiter. */
  get head(): FairTicket | undefined {
    const { first } = this.#waiters;
    return first && this.#tickets.get(first);
  }

  get size(): number {
    return this.#waiters.size;
  }

  of(waiter: LockWaiter): FairTicket | undefined {
    return this.#tickets.get(waiter);
  }

  withId(holderId: string): FairTicket | undefined {
    for (const ticket of this.#tickets.values()) {
      if (ticket.holderId === holderId) {
        return ticket;
      }
    }
    return undefined;
  }

  all(): Iterable<FairTicket> {
    return this.#tickets.values();
  }

  /** Appends a waiter, whose ticket is still to come, and returns whether it is the first. */
  append(waiter: LockWaiter): boolean {
    this.#waiters.push(waiter);
    return this.#waiters.first === waiter;
  }

  put(ticket: FairTicket): void {
    this.#tickets.set(ticket.waiter, ticket);
  }

  moveBack(waiter: LockWaiter): void {
    this.#waiters.delete(waiter);
    this.#waiters.push(waiter);
  }

  delete({ waiter }: FairTicket): void {
    this.#tickets.delete(waiter);
    this.#waiters.delete(waiter);
  }

  /** Gives a ticket that was granted to the first waiter, if that wants the same lease: it goes first here
   * also where the server has them in another order, since entries were lost. */
  giveToFirst(ticket: FairTicket): void {
    const { head } = this;
    const { leaseMs, renewed } = ticket.terms;
    if (head?.terms.leaseMs === leaseMs && head.terms.renewed === renewed) {
      [ticket.waiter, head.waiter] = [head.waiter, ticket.waiter];
      this.put(ticket);
      this.put(head);
    }
  }
}
