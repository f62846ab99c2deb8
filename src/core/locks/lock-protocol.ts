import { UnexpectedReplyError } from '../../server-errors.js';
import type { Command } from '../wire/call.js';
import type { LeasedObject } from '../grant/grant-lifecycle.js';
import type { ReleaseResult } from '../grant/release.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { ObjectProtocol } from '../object-protocol.js';
import type { ReleaseTerms } from './release-terms.js';
import type { Asks } from './ticket.js';
import type { Position, Verdict, WaitQueue } from './wait-queue.js';
import type { Holder, ObjectKind } from '../observe/events.js';

const GRANTED: Verdict = { is: 'granted' };

/** Decodes the answer to an acquisition: null when it was granted, from -1 on the ms to wait; -1
 * stands for a lock without a lease. */
export function verdictOf(code: number | null): Verdict {
  switch (code) {
    case null:
      return GRANTED;
    case -2:
      return { is: 'gone', reason: 'deleted' };
    case -3:
      return { is: 'cancelled' };
    case -4:
      return { is: 'gone', reason: 'taken' };
    default:
      if (code < -1) {
        throw new UnexpectedReplyError(`an acquisition was answered ${code}`);
      }
      return { is: 'busy', busyMs: code };
  }
}

/** A part of the data of a lock, bounded so that the server is never busy with it for long. */
export interface Page {
  /** The start of the next page; `LAST_PAGE` after the last one. */
  readonly cursor: string;
}

/** The holders that one page shows. */
export interface HolderPage extends Page {
  readonly holders: readonly Holder[];
}

/** The longest lease that one page shows: -1 when it has no limit, -2 without a holder. */
export interface LeasePage extends Page {
  readonly leaseMs: number;
}

/** The cursor before the first page, and after the last one. */
export const FIRST_PAGE = '0';
export const LAST_PAGE = '0';

/** The other side of a lock that has two. */
export interface Sibling {
  readonly kind: ObjectKind;
  readonly lockId: string;
  /** True: inside a hold of that side this side is granted at once (writer to reader). False:
   * waiting for this side would be waiting for that hold (reader to writer). */
  readonly admits: boolean;
}

/**
 * One lock on its own wire layout: everything in which the kinds of lock differ. All calls state
 * outcomes, so running one twice changes nothing but the counter of tokens; only forceRelease is counted.
 */
export interface LockProtocol extends ObjectProtocol<EndpointServices>, LeasedObject {
  /** The same for two faces of one lock of one client, and for nothing else. */
  readonly lockId: string;
  /** True when it has several holders at once; re-entries then need not exclude each other. */
  readonly isShared: boolean;
  /** True when a waiter that gives up has to remove its entry from the server's wait queue. */
  readonly keepsPosition: boolean;
  readonly sibling?: Sibling;
  /** A release can give it to the next waiter. */
  readonly canBeHandedOn: boolean;
  /** The queue of the local waiters. */
  createQueue(asks: Asks): WaitQueue;
  /** `beside`: the holder on the other side whose hold admits this one. */
  acquire(
    holderId: string,
    count: number,
    leaseMs: number,
    position: Position,
    beside?: string,
  ): Command<Verdict>;
  release(holderId: string, terms: ReleaseTerms): Command<ReleaseResult>;
  forceRelease(request: { number: number; lowWater: number }): Command<string>;
  /** Offers a lock that was opened to those in no line to the line. */
  serveLine(): Command<ReleaseResult>;
  /** The longest lease, page by page; one of at least `enoughMs` settles it. */
  lease(cursor: string, enoughMs: number): Command<LeasePage>;
  /** How many holds one holder has on the server. */
  holdCount(holderId: string): Command<number>;
  /** The holders, page by page. */
  holders(cursor: string): Command<HolderPage>;
  /** The first page of the holders that can be in the way of a waiter. */
  obstacles(): Command<HolderPage>;
}
