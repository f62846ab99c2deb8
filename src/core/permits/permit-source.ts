import type { Command, PendingCall, Undoing } from '../wire/call.js';
import type { Linked } from '../base/linked-list.js';
import type { Request } from '../delivery/requests.js';
import type { DeclaredNumber } from './declared-number.js';

/** A waiter for permits. */
export interface PermitWaiter extends Linked {
  /** The number of permits that it needs, all or none. */
  readonly count: number;
  /** False: it is refused rather than made to wait. */
  readonly waits: boolean;
  /** The number of permits that its object was made with. */
  readonly number: DeclaredNumber | undefined;
  /** `blocked()` was called. */
  readonly isBlocked: boolean;
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
  /** It does not exist, and was deleted: nobody makes it again who has stated its number before. */
  readonly isDeleted?: boolean;
  /** The number of permits, acquired ones included; negative or absent where it is not known. */
  readonly total?: number | undefined;
  /** The permits that were left, where nothing else is known of the semaphore. */
  readonly unknownLeft?: number | undefined;
  /** Mark of the grants, where permits have no ids. */
  readonly mark?: string;
  /** How many permits there were, when these were more than was stated; 0 otherwise. */
  readonly above?: number;
}

/** One call that asks for permits for some waiters. */
export interface Ask<W> {
  readonly waiters: readonly W[];
  readonly mustQueue: boolean;
  /** How many statements of a number were made before it. */
  readonly statements: number;
  /** How many of them still want an answer. */
  open: number;
  /** The call; undefined for one that also releases permits. */
  call: PendingCall | undefined;
  /** Abandons the call; undefined for a call that also releases permits. */
  drop: (() => void) | undefined;
}

/** What is done besides giving back the permits of a request. */
export interface GiveBackTerms {
  /** The client leaves the wait queue. */
  readonly leaves: boolean;
  /** A copy of the request may run later. */
  readonly mayRun: boolean;
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
  /** Cost of a waiter for the server: the number of permits that it writes one by one. */
  weightOf(waiter: W): number;
  /**
   * Serves as many of `waiters`, in order, as fit. An answer is recorded only when something is
   * granted. With `mustQueue` this client gets an entry in the wait queue, or keeps it, until its
   * first waiter is served; without it the client has no entry.
   */
  acquire(request: Request, waiters: readonly W[], mustQueue: boolean): Command<PermitAnswer>;
  /**
   * Gives back the permits that a request was granted, whose waiters are `waiters`. With `mayRun` it
   * sets a tombstone, with `leaves` it removes the entry from the wait queue.
   */
  giveBack(request: Request, waiters: readonly W[], terms: GiveBackTerms): Command<unknown>;
}

/** The command that gives back a request, and what it undoes: `dropped` is the only call of which a copy
 * may still run, if it is given. */
export function givingBack<W extends PermitWaiter>(
  source: PermitSource<W>,
  request: Request,
  waiters: readonly W[],
  { leaves, dropped }: { leaves: boolean; dropped: PendingCall | undefined },
): { command: Command<unknown>; undoes: Undoing | undefined } {
  const command = (mayRun: boolean): Command<unknown> =>
    source.giveBack(request, waiters, { leaves, mayRun });
  return {
    command: command(true),
    undoes: dropped && { ask: dropped, operands: command(false).operands },
  };
}
