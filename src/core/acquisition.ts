import { AcquireTimeoutError } from '../errors.js';
import type { Call } from './call.js';
import { translate } from './delivery.js';
import { ExclusiveQueue } from './exclusive-queue.js';
import type { AttemptResult, Waiter } from './exclusive-queue.js';
import type { LockHold } from './hold.js';
import type { LockKeeper } from './lock-keeper.js';
import type { Verdict } from './lock-protocol.js';
import type { Ending, Patience } from './patience.js';
import type { LeaseTerms } from './validate.js';

/** A lease this short may be over before its answer arrives, and that is then told as it is. */
const RETRIED_LEASE_MIN_MS = 100;

/** What the caller asked for, checked. */
export interface AcquisitionTerms extends LeaseTerms {
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly patience: Patience;
}

/** The error of an acquisition that ran out of time while somebody else held the lock. */
export function contention(resource: string, waitedMs: number): AcquireTimeoutError {
  const message = `"${resource}" was still held by somebody else after ${Math.round(waitedMs)} ms`;
  return new AcquireTimeoutError(message, { resource });
}

/**
 * One outermost acquisition: asks, waits its turn and asks again, until it is granted or its
 * patience ends. Whatever it may have left on the server when it gives up, it takes back.
 */
export class Acquisition implements Waiter {
  readonly #keeper: LockKeeper;
  readonly #terms: AcquisitionTerms;
  #holderId: string;
  /** A copy of an attempt under this holder id may still run. */
  #stray = false;
  #everSent = false;
  #saidBusy = false;
  #queue: ExclusiveQueue | undefined;
  #call: Call<Verdict> | undefined;
  #endAttempt: ((result: undefined) => void) | undefined;
  #settled = false;
  #resolve!: (hold: LockHold) => void;
  #reject!: (error: unknown) => void;

  constructor(keeper: LockKeeper, terms: AcquisitionTerms) {
    this.#keeper = keeper;
    this.#terms = terms;
    this.#holderId = keeper.runtime.newHolderId();
  }

  /** Settles with a hold; rejects with AcquireTimeoutError on contention. */
  run(): Promise<LockHold> {
    const { patience, waits } = this.#terms;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (patience.ending !== undefined) {
        this.#end(patience.ending);
        return;
      }
      patience.onEnd = (ending) => this.#end(ending);
      if (waits) {
        this.#queue = this.#joinQueue();
      } else {
        void this.#once();
      }
    });
  }

  async attempt(): Promise<AttemptResult> {
    const { runtime, protocol } = this.#keeper;
    const { leaseMs } = this.#terms;
    const call = runtime.delivery.start(protocol.acquire(this.#holderId, 1, leaseMs));
    this.#call = call;
    try {
      const verdict = await new Promise<Verdict | undefined>((resolve, reject) => {
        this.#endAttempt = resolve;
        call.answer.then(resolve, reject);
      });
      return verdict === undefined || this.#settled ? undefined : this.#judge(verdict, call);
    } catch (error) {
      this.#fail(translate(error, protocol.resource));
      return undefined;
    } finally {
      this.#call = undefined;
    }
  }

  #joinQueue(): ExclusiveQueue {
    const { runtime, protocol } = this.#keeper;
    const { lockId, channel } = protocol;
    let queue = runtime.queues.get(lockId);
    if (queue === undefined) {
      queue = new ExclusiveQueue(runtime.hub, runtime.clock, channel, () => {
        runtime.queues.delete(lockId);
      });
      runtime.queues.set(lockId, queue);
    }
    queue.join(this);
    return queue;
  }

  async #once(): Promise<void> {
    const result = await this.attempt();
    if (result !== undefined && !('granted' in result)) {
      const { resource } = this.#keeper.protocol;
      this.#fail(this.#saidBusy ? contention(resource, this.#waitedMs) : this.#timeout());
    }
  }

  #judge(verdict: Verdict, call: Call<Verdict>): AttemptResult {
    this.#stray ||= call.strays > 0;
    if (verdict.is === 'taken') {
      return this.#taken(verdict.fencingToken, call);
    }
    if (verdict.is === 'busy') {
      this.#saidBusy = true;
      return verdict;
    }
    // A fresh holder id has no hold to be gone and nothing that was cancelled.
    throw new Error(`unexpected verdict on an acquisition: ${verdict.is}`);
  }

  #taken(fencingToken: bigint | undefined, call: Call<Verdict>): AttemptResult {
    const { runtime, protocol } = this.#keeper;
    const terms = this.#terms;
    const lease = this.#keeper.createLease(this.#holderId);
    lease.stray = this.#stray;
    lease.start(call.sentAt, terms.leaseMs);
    if (!lease.covers(runtime.clock.now()) && terms.leaseMs >= RETRIED_LEASE_MIN_MS) {
      // Granted, but the answer took longer than the lease: take it back and ask anew.
      this.#keeper.cancel(this.#holderId);
      this.#holderId = runtime.newHolderId();
      this.#stray = false;
      this.#everSent = true;
      return { busyMs: 0 };
    }
    const hold = this.#keeper.createHold(lease, terms, undefined, fencingToken);
    lease.holders.push(hold);
    runtime.keep(lease, protocol.renewal);
    this.#settled = true;
    this.#resolve(hold);
    this.#keeper.announce(hold, terms.patience.startedAt);
    return { granted: true, leaseMs: terms.leaseMs };
  }

  #end(ending: Ending): void {
    const { runtime, protocol } = this.#keeper;
    if (ending.why === 'aborted') {
      this.#fail(ending.reason);
    } else if (ending.why === 'closed') {
      this.#fail(runtime.closedError(protocol.resource));
    } else if (this.#saidBusy || this.#queue?.contended === true) {
      this.#fail(contention(protocol.resource, this.#waitedMs));
    } else {
      this.#fail(this.#timeout());
    }
  }

  get #waitedMs(): number {
    return this.#keeper.runtime.clock.now() - this.#terms.patience.startedAt;
  }

  #timeout(): Error {
    const { runtime, protocol } = this.#keeper;
    const sent = this.#everSent || this.#call?.sent === true;
    return runtime.delivery.timeout(protocol.resource, protocol.key, sent, this.#waitedMs);
  }

  /** Gives up: leaves nothing on the server, and lets the next waiter ask. */
  #fail(error: unknown): void {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    this.#reject(error);
    const call = this.#call;
    if (call !== undefined && !call.settled) {
      this.#stray = this.#keeper.runtime.delivery.abandon(call) || this.#stray;
    }
    if (this.#stray) {
      this.#keeper.cancel(this.#holderId);
    }
    this.#queue?.leave(this);
    this.#endAttempt?.(undefined);
  }
}
