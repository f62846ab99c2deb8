import type { Command, PendingCall } from '../wire/call.js';
import type { Linked } from '../base/linked-list.js';
import type { Request } from '../delivery/requests.js';

/** Somebody who wants permits. */
export interface PermitWaiter extends Linked {
  /** How many, all or none. */
  readonly count: number;
  /** False: it is refused rather than made to wait. */
  readonly waits: boolean;
  /** It has to wait, as the server has said of it or of somebody in front of it. */
  blocked(): void;
  /** `call` got its permits. It may have left meanwhile, and then gives them back itself. False: so
   * it did because they came too late to be of use, and it goes on waiting at its place. */
  granted(call: PendingCall, answer: PermitAnswer): boolean;
  /** There are not enough permits, or somebody else waits for them, and it does not wait. */
  refused(): void;
  /** Asking failed for good. */
  failed(error: Error): void;
}

/** What the server says to those who ask. */
export interface PermitAnswer {
  /** How many of them got their permits: the first ones, in their order. */
  readonly granted: number;
  /** It is worth asking again after so many ms; -1: nobody knows. */
  readonly retryMs: number;
  /** Life that the semaphore had left, where permits need to know; < 0: no limit. */
  readonly lifeMs?: number;
  /** Mark of the semaphore they were taken from, where permits have no number of their own. */
  readonly mark?: string;
}

/** Where the permits come from. Its calls carry request numbers, so each runs at most once. */
export interface PermitSource<W extends PermitWaiter> {
  readonly key: string;
  /** Where it is told that permits became available. */
  readonly channel: string;
  /** Where what a request took is known from the server's record of it only: to be called when that
   * was given back, in case the server has forgotten it by then. */
  watchRecord?(): () => void;
  /** True when the number in a message is that of the permits which are available then. */
  readonly tellsAvailable: boolean;
  /** How much of the server's time a waiter costs, in permits that are written one by one. */
  weightOf(waiter: W): number;
  /**
   * Serves as many of `waiters`, in order, as fit. It records an answer only when it grants
   * something. `mustQueue` says that this client takes a place in the line of all clients, or
   * keeps it until its first waiter is served; without it the client has none.
   */
  acquire(request: Request, waiters: readonly W[], mustQueue: boolean): Command<PermitAnswer>;
  /**
   * Makes sure that the request never runs, gives back what it took, and with `leaves` gives up
   * the place in the line. `waiters` are those it was made for.
   */
  giveBack(request: Request, waiters: readonly W[], leaves: boolean): Command<unknown>;
}
