import type { Command } from '../wire/call.js';
import type { LineAnswer, LineKeys } from './line.js';
import type { LineTicket } from './line-ticket.js';

/** The part of a lock that its queue needs. */
export interface HandedOn {
  readonly lineKeys: LineKeys;
  /** The command that asks for a ticket. */
  enter(ticket: LineTicket): Command<LineAnswer>;
  /** Its tickets share no re-checks: each asks anew at least this often. */
  readonly heartbeatMs?: number;
  /** Others than those in its line wait by the order of asking: the next waiter here may come behind one
   * of them. */
  readonly isSharedWithOthers?: boolean;
  /** Whether nobody of this client comes before the next waiter of this queue. */
  mayPass?(queues: { has(lockId: string): boolean }): boolean;
}
