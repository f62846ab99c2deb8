import type { Command, PendingCall } from '../wire/call.js';
import type { Linked } from '../base/linked-list.js';
import type { Request } from '../delivery/requests.js';
import type { CarriedSetting } from './told-permits.js';

/** A waiter for permits. */
export interface PermitWaiter extends Linked {
  /** The number of permits that it needs, all or none. */
  readonly count: number;
  /** False: it is refused rather than made to wait. */
  readonly waits: boolean;
  /** It has to wait: the server refused it, or a waiter before it. */
  blocked(): void;
  /** `call` was granted its permits. A waiter that has left meanwhile gives them back itself.
   * False: they came too late to be of use and were given back; it keeps its position. `place`: which
   * of the waiters of its call it was, from 1. */
  granted(call: PendingCall, answer: PermitAnswer, place: number): boolean;
  /** It does not wait, and there are not enough permits or another waiter is before it. */
  refused(): void;
  /** The call failed and is not repeated. */
  failed(error: Error): void;
}

/** The server's answer to a call that asks for waiters. */
export interface PermitAnswer {
  /** How many of the waiters were granted their permits: the first ones, in order. */
  readonly granted: number;
  /** After how many ms another ask may succeed; -1: unknown. */
  readonly retryMs: number;
  /** Remaining life of the semaphore in ms, where its permits have leases; < 0: no limit. */
  readonly lifeMs?: number;
  /** Whether the semaphore exists: one whose number of permits nobody has set does not. Absent in an
   * answer that does not show it. */
  readonly exists?: boolean;
  /** Mark of the grants, where permits have no ids. */
  readonly mark?: string;
  /** How many permits there were, when these were more than was stated; 0 otherwise. */
  readonly above?: number;
}

/** One call that asks for permits for some waiters. */
export interface Ask<W> {
  readonly waiters: readonly W[];
  readonly mustQueue: boolean;
  /** The setting that it carries, if any; undefined too for a call that also releases permits. */
  readonly setting: string | undefined;
  /** How many of them still want an answer. */
  open: number;
  /** The call; undefined for one that also releases permits. */
  call: PendingCall | undefined;
  /** Abandons the call; undefined for a call that also releases permits. */
  drop: (() => void) | undefined;
}

/** Makes the commands of a semaphore for its queue; each carries a number and runs at most once. */
export interface PermitSource<W extends PermitWaiter> {
  readonly key: string;
  /** The channel that notifies of available permits. */
  readonly channel: string;
  /** For a semaphore whose grants are known from the server's record only. The function returned is
   * called when a request was given back, and reports if the record may have expired before. */
  watchRecord?(): () => void;
  /** True when the number in a message is the number of available permits. */
  readonly tellsAvailable: boolean;
  /** The setting that the next call has to carry, mostly none; none either when that is `but`. */
  carried(but?: string): CarriedSetting | undefined;
  /** Notes what an answer shows of the semaphore. */
  shown(answer: PermitAnswer): void;
  /** Cost of a waiter for the server: the number of permits that it writes one by one. */
  weightOf(waiter: W): number;
  /**
   * Serves as many of `waiters`, in order, as fit. An answer is recorded only when something is
   * granted. With `mustQueue` this client gets an entry in the wait queue, or keeps it, until its
   * first waiter is served; without it the client has no entry.
   */
  acquire(request: Request, waiters: readonly W[], mustQueue: boolean): Command<PermitAnswer>;
  /**
   * Sets the tombstone of the request, gives back the permits that it was granted, and with
   * `leaves` removes the entry from the wait queue. `waiters` are those of the request.
   */
  giveBack(request: Request, waiters: readonly W[], leaves: boolean): Command<unknown>;
}
