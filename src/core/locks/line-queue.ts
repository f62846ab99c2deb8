import type { Acquiring } from '../lease/lease-parts.js';
import type { Contention } from '../waiting/contention.js';
import type { Command, PendingCall } from '../wire/call.js';
import type { LineAnswer } from './line.js';
import type { Proof } from './proof.js';

/** A grant of a ticket: the lease counts from `acquiring`. */
export interface LineGrant {
  readonly acquiring: Acquiring;
  readonly leaseMs: number;
  readonly others: boolean;
  /** It may have so many holds inside this client. */
  readonly holdsMax: number;
  /** The first of its fencing tokens, if the lock is fenced. */
  readonly fencingToken: bigint | undefined;
  /** It lasts for a window only, until it is confirmed. */
  readonly isWindow: boolean;
}

/** The queue of a ticket. */
export interface LineQueue<Ticket> {
  readonly contention: Contention;
  /** The command that asks for a ticket. */
  enter(ticket: Ticket): Command<LineAnswer>;
  /** Asks about a ticket that waits. */
  recheck(ticket: Ticket): void;
  /** The answer that tells most about the times of the server: of this ticket, or of another one. */
  proofFor(ticket: Ticket): Proof | undefined;
  /** A connection is new: it may have missed its grant, and its entry may be lost. */
  reconnected(ticket: Ticket): void;
  /** It may have missed its grant. */
  missed(ticket: Ticket): void;
  granted(ticket: Ticket, grant: LineGrant): void;
  /** A grant for a window that was over before it could start a hold, as the answer to `call` says. */
  lapsed(ticket: Ticket, call: PendingCall, windowMs: number): void;
  waits(ticket: Ticket, answer: LineAnswer & { is: 'waiting' }): void;
  /** The server knows nothing of the ticket, or never grants it. */
  isVoid(ticket: Ticket): void;
  failed(ticket: Ticket, error: Error): void;
}
