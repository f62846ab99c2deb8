import type { Acquiring } from '../lease/lease.js';
import type { Command } from '../wire/call.js';
import type { LineAnswer } from './line.js';

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
  waits(ticket: Ticket, answer: LineAnswer & { is: 'waiting' }): void;
  /** The server knows nothing of the ticket, or never grants it. */
  isVoid(ticket: Ticket): void;
  failed(ticket: Ticket, error: Error): void;
}

/** The times of an answer that a ticket waits, from which the deadline of its grant follows. */
export interface Proof {
  /** The instant before the command was sent, by the clock of this client. */
  readonly sentAt: number;
  /** When it ran, by the clock of the server. */
  readonly serverMs: number;
  /** Both connections are still the same ones. */
  readonly epoch: number;
}
