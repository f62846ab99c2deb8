import type { Rechecked } from '../waiting/rechecks.js';
import type { PendingCall } from '../wire/call.js';
import type { LineAnswer, PushedGrant, RecheckItem } from './line.js';

/** A ticket that stands in a line. */
export interface ExpectedTicket extends Rechecked, Granted {
  /** It stands in the line, as far as is known, and no command about it is under way. */
  readonly isWaiting: boolean;
  /** A re-check of it is sent. */
  recheckItem(): RecheckItem;
  rechecking(call: PendingCall): void;
  rechecked(answer: LineAnswer, call: PendingCall): void;
  /** Something has happened: the server is asked. */
  recheck(): void;
  recheckFailed(error: Error): void;
  /** A connection is new: it may have missed its grant, and its entry may be lost. */
  reconnected(): void;
  /** It may have missed its grant. */
  missed(): void;
  /** The server has granted it, and has told this client so. */
  pushed(grant: PushedGrant): void;
}

/** A grant of this client, which is told when another client waits. */
export interface Granted {
  /** Another client waits for the lock. */
  othersWait(): void;
  /** A waiter has come to which the lock cannot be passed on, but after the hold that is there. */
  endWithThisHold(): void;
}
