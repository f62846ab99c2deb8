// What the users of a simulated run did, and what the SDK told them. Checkers know nothing else.

import type { Told } from '../support/ends.js';

export type Kind =
  | 'lock'
  | 'fair'
  | 'fenced'
  | 'rwlock'
  | 'quorum'
  | 'quorum-fenced'
  | 'multi'
  | 'quorum-multi'
  | 'semaphore'
  | 'expirable'
  | 'latch';

/** Several names are locked together: an end of one of them ends the hold of all. */
export const isMulti = (kind: Kind): boolean => kind === 'multi' || kind === 'quorum-multi';

/** A majority of several servers has it. */
export const isOfQuorum = (kind: Kind): boolean => kind.startsWith('quorum');

/** `shared` for read locks, `exclusive` for every other lock; permits and latches have no mode. */
export type Mode = 'exclusive' | 'shared';

export type Action =
  | 'acquire'
  | 'release'
  | 'extend'
  /** `forceRelease()`, `delete()`: of anybody's holds or permits, of the object itself. */
  | 'force'
  | 'delete'
  /** Of permits and counts: set when there are none, add, take all. */
  | 'set'
  | 'add'
  | 'drain'
  | 'count down'
  | 'wait'
  /** A question: `isLocked()`, `availablePermits()`, `count()`. */
  | 'look';

/** `ok`: done. `no`: told that nothing was done, because of what the object was like at the time:
 * busy, already set, not zero. `failed`: told that nothing was done, for another reason: aborted,
 * timed out without an answer, closed. `unknown`: it may have been done, or may be done later. */
export type Outcome = 'ok' | 'no' | 'failed' | 'unknown';

/** One call of a user. Times are exact milliseconds of the simulation, one clock for everybody. */
export interface Operation {
  readonly id: number;
  readonly object: string;
  readonly kind: Kind;
  readonly action: Action;
  readonly mode: Mode;
  /** The process, by number. */
  readonly client: number;
  /** For whom: the re-entries of a hold have the owner of that hold, everybody else a fresh one. A
   * release has the owner of what it releases. */
  readonly owner: string;
  /** Holds or permits to take or give back, the number to set or add. */
  readonly amount: number;
  /** True when it waits instead of answering `no`, for `waitMs` at most. */
  readonly waits: boolean;
  readonly waitMs: number | undefined;
  /** The lease that an acquisition asks for, also by asking for none; left out where it has none. */
  readonly leaseMs?: number | undefined;
  /** How long the latch lives that a call sets; left out where it has no limit. */
  readonly ttlMs?: number | undefined;
  readonly calledAt: number;
  /** Infinity while it has not returned, and for ever when its process was killed. */
  returnedAt: number;
  outcome: Outcome;
  /** When its signal was aborted. */
  abortedAt: number | undefined;
  /** Of a fenced hold. */
  token: bigint | undefined;
  /** What it answered, where that is a number or a truth: permits left, the count, "is locked". */
  answer: number | boolean | undefined;
  /** The name of the error that it was rejected with. */
  error: string | undefined;
}

/** The time in which somebody was told to hold something: `isHeld` was true, on the clock of its own
 * process, from `from` on and at every instant before `until`. */
export interface Claim {
  /** The acquisition that it comes from. */
  readonly operation: number;
  readonly object: string;
  readonly kind: Kind;
  readonly mode: Mode;
  readonly client: number;
  readonly owner: string;
  readonly permits: number;
  readonly token: bigint | undefined;
  /** The holder id, which the holds of a run share; of locks alone. */
  readonly holderId: string | undefined;
  /** The lease that was asked for; longer when it was extended. */
  leaseMs: number;
  readonly isRenewed: boolean;
  /** Its bound, where it has one. */
  readonly maxHoldMs?: number | undefined;
  /** So long the client was sure of it at first: less than the lease where that has to be confirmed. */
  readonly firstMs: number;
  readonly from: number;
  /** The release was called, or `isHeld` became false; Infinity for permits without a lease that
   * were never returned. */
  until: number;
  /** `open`: the run, or its process, ended before the claim did. */
  end: 'open' | 'released' | 'lost';
  /** When its signal was aborted. */
  toldLostAt: number | undefined;
}

/** One round of a worker under a lock: it reads a counter in a store outside of Redis, thinks, and
 * writes one more. */
export interface Write {
  readonly object: string;
  readonly client: number;
  readonly owner: string;
  readonly token: bigint;
  readonly readAt: number;
  readonly wroteAt: number;
  /** What it read. It writes one more. */
  readonly read: number;
  readonly isAccepted: boolean;
}

/** A counter outside of Redis: what was written to it, in the order in which it saw that. */
export interface StoreRecord {
  readonly writes: readonly Write[];
  readonly value: number;
}

/** What happened to the world. `object` and `client` are undefined where it concerns all of them. */
export interface Fault {
  readonly what: FaultKind;
  readonly from: number;
  /** Equal to `from` for what happens at one instant. */
  until: number;
  readonly client: number | undefined;
  readonly object: string | undefined;
  /** In words, for people. */
  readonly detail: string;
}

export type FaultKind =
  /** Connections end, or let nothing through and end later; bytes may arrive after that. */
  | 'cut'
  | 'half-open'
  /** Bytes take longer. */
  | 'slow'
  /** The process stands still (SIGSTOP, blocked event loop), or is gone (SIGKILL). */
  | 'stall'
  | 'kill'
  /** The server does not answer, is gone for a while and keeps its data, forgets scripts. */
  | 'server stall'
  | 'restart'
  | 'script flush'
  /** The server refuses for a while: READONLY, OOM, LOADING. */
  | 'refusal'
  /** Nobody has the right to a command, or to any script: a clean-up that needs it fails for good. */
  | 'no right'
  /** Nobody may publish, nor listen to messages. */
  | 'no messages'
  /** Data is lost: everything (FLUSHALL, restart without persistence), or what was written last
   * (failover). */
  | 'flush'
  | 'failover'
  /** The clock of the server jumps: `detail` begins with the number of ms. */
  | 'clock step';

/** A client that was closed by its user. */
export interface Closing {
  readonly client: number;
  readonly at: number;
}

/** What a client told of the grants of one holder id. */
export interface ToldByClient extends Told {
  readonly client: number;
}

export interface History {
  /** The seed and the options from which it can be made again. */
  readonly seed: number;
  readonly operations: readonly Operation[];
  readonly claims: readonly Claim[];
  readonly faults: readonly Fault[];
  readonly closings: readonly Closing[];
  readonly told: readonly ToldByClient[];
  /** A store that refuses old fencing tokens, and its twin that takes every write. */
  readonly fencedStore: StoreRecord;
  readonly openStore: StoreRecord;
  /** The instant from which on nothing is faulty any more, and nobody is held back by a fault. */
  readonly healedAt: number;
  /** Everybody is through by then, and what goes on in the background is, too; Infinity in a history
   * without such a time. */
  readonly quietAt: number;
  readonly endedAt: number;
  /** Keys, subscriptions, connections and timers that were left when all clients had been closed and
   * all leases had ended. */
  readonly left: readonly string[];
  /** Many users ask for the lock again and again, and all who wait stand in its line. */
  readonly isCrowd: boolean;
  /** One client asks for it all the time, beside others that take turns; all who wait stand in its line. */
  readonly isFlow: boolean;
  /** Errors that came up where nobody expects them: of calls, and as `error` events. */
  readonly surprises: readonly string[];
}

export interface Violation {
  /** The name of the property, as in the failure table. */
  readonly property: string;
  readonly object: string | undefined;
  readonly at: number;
  readonly text: string;
}
