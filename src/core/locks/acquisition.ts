import { AcquireTimeoutError, UnexpectedReplyError } from '../../errors.js';
import type { Call, Receiver, PendingCall } from '../wire/call.js';
import { Linked } from '../base/linked-list.js';
import { translate } from '../delivery/translate.js';
import type { LockHold } from './hold.js';
import type { LockGrants } from './lock-grants.js';
import type { Ending, WaitLimit } from '../waiting/wait-limit.js';
import type { LeaseTerms } from '../base/arguments.js';
import type { Position, Verdict, WaitQueue, Waiter } from './wait-queue.js';

/** A shorter lease may end before its answer arrives: it is then returned as it is, not retried. */
export const RETRIED_LEASE_MIN_MS = 100;

/** The checked options of the caller. */
export interface AcquisitionTerms extends LeaseTerms {
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly waitLimit: WaitLimit;
}

/** The error of an acquisition that ran out of time while the lock was held by another. */
export function contention(resource: string, waitedMs: number): AcquireTimeoutError {
  const message = `"${resource}" was still held by somebody else after ${Math.round(waitedMs)} ms`;
  return new AcquireTimeoutError(message, { resource });
}

/**
 * One outermost acquisition: asks, waits its turn and asks again, until it is granted or its
 * wait ends. When it gives up, it takes back everything that it may have left on the server.
 */
export class Acquisition<H extends LockHold = LockHold>
  extends Linked
  implements Waiter, Receiver<Verdict>
{
  readonly #grants: LockGrants<H>;
  readonly #terms: AcquisitionTerms;
  readonly #resolve: (hold: H) => void;
  readonly #reject: (error: unknown) => void;
  /** Gets a tombstone when the acquisition gives up while a copy of an attempt may still run. */
  holderId: string;
  /** A copy of an attempt under this holder id may still run. */
  #hasUnackedCopy = false;
  #everSent = false;
  #saidBusy = false;
  /** Once it was sent, it may have an entry in a wait queue on the server. */
  #asksForPosition = false;
  #queue: WaitQueue | undefined;
  /** The attempt that is under way. */
  #call: Call<Verdict> | undefined;
  #stopWatching: (() => void) | undefined;
  #over = false;

  /** Resolves with a hold; rejects with AcquireTimeoutError on contention, or another error. The
   * name counts as used from before this until the acquisition fails or its lease ends. */
  constructor(
    grants: LockGrants<H>,
    terms: AcquisitionTerms,
    resolve: (hold: H) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.#grants = grants;
    this.#terms = terms;
    this.#resolve = resolve;
    this.#reject = reject;
    this.holderId = grants.services.client.newHolderId();
  }

  start(): void {
    const { waitLimit, waits } = this.#terms;
    if (waitLimit.ending !== undefined) {
      this.#end(waitLimit.ending);
      return;
    }
    waitLimit.onEnd = (ending) => this.#end(ending);
    if (waits) {
      this.#queue = this.#grants.queue();
      if (!this.#queue.join(this)) {
        this.#watch();
      }
    } else {
      this.ask('none');
    }
  }

  get leaseMs(): number {
    return this.#terms.leaseMs;
  }

  ask(position: Position): void {
    const { services, protocol } = this.#grants;
    this.#asksForPosition ||= position === 'queue' && protocol.keepsPosition;
    const command = protocol.acquire(this.holderId, 1, this.leaseMs, position);
    this.#call = services.delivery.start(command, this);
  }

  answered(verdict: Verdict, call: PendingCall): void {
    if (this.#over) {
      // It gave up while the queue asked for it and others: what it was granted is taken back.
      return;
    }
    this.#call = undefined;
    this.#everSent = true;
    this.#hasUnackedCopy ||= call.unackedCopies > 0;
    switch (verdict.is) {
      case 'granted':
        this.#granted(verdict.fencingToken, call);
        break;
      case 'busy':
        this.#busy(verdict);
        break;
      case 'cancelled':
        // An earlier copy was granted, its answer was lost, and the hold has been ended by force.
        this.#askAnew();
        break;
      default:
        // A fresh holder id has no hold that could be gone.
        this.#fail(new UnexpectedReplyError(`a fresh acquisition was answered "${verdict.is}"`));
    }
  }

  failed(error: Error, call: PendingCall): void {
    this.#call = undefined;
    this.#everSent ||= call.sent;
    this.#hasUnackedCopy ||= call.unackedCopies > 0;
    this.#fail(translate(error, this.#grants.protocol.resource));
  }

  #granted(fencingToken: bigint | undefined, call: PendingCall): void {
    const { services, protocol } = this.#grants;
    const terms = this.#terms;
    const lease = this.#grants.createLease(this.holderId);
    lease.hasUnackedCopy = this.#hasUnackedCopy;
    lease.start(call, terms.leaseMs);
    if (!lease.covers(services.clock.now()) && terms.leaseMs >= RETRIED_LEASE_MIN_MS) {
      // The answer to the grant took longer than the lease.
      this.#askAnew();
      return;
    }
    this.#grants.endOthers();
    const hold = this.#grants.createHold(lease, terms, undefined, fencingToken);
    // A push would allocate room for seventeen holds, and most leases have one.
    lease.holders = [hold];
    services.keep(lease, protocol.renewal);
    this.#finish();
    this.#resolve(hold);
    this.#grants.announce(hold, terms.waitLimit.startedAt);
    this.#queue?.granted(this, terms.leaseMs);
  }

  /** The grant is over before anybody was told of it: takes it back, and asks as another holder. */
  #askAnew(): void {
    this.#grants.cancel(this.holderId, true);
    this.holderId = this.#grants.services.client.newHolderId();
    this.#hasUnackedCopy = false;
    this.#asksForPosition = false;
    if (this.#queue === undefined) {
      this.ask('none');
    } else {
      this.#queue.busy(this, { is: 'busy', busyMs: 0 });
    }
  }

  #busy(verdict: Verdict & { is: 'busy' }): void {
    this.#saidBusy = true;
    if (this.#queue === undefined) {
      this.#fail(contention(this.#grants.protocol.resource, this.#waitedMs));
    } else {
      this.#watch();
      this.#queue.busy(this, verdict);
    }
  }

  #watch(): void {
    this.#stopWatching ??= this.#grants.watchForStall(this.#terms.waitLimit.startedAt);
  }

  #end(ending: Ending): void {
    const { services, protocol } = this.#grants;
    // The answers to other waiters say nothing about a server that cannot be reached now.
    const isUp = services.router.whyDown(protocol.key) === undefined;
    const onTimeout = (): Error =>
      this.#saidBusy || (this.#queue?.contended === true && isUp)
        ? contention(protocol.resource, this.#waitedMs)
        : this.#timeout();
    this.#fail(services.client.errorOf(ending, protocol.resource, onTimeout));
  }

  get #waitedMs(): number {
    return this.#grants.services.clock.now() - this.#terms.waitLimit.startedAt;
  }

  #timeout(): Error {
    const { services, protocol } = this.#grants;
    const sent = this.#everSent || this.#call?.sent === true;
    const refusal = this.#call?.refusal;
    return services.delivery.timeout(
      protocol.resource,
      protocol.key,
      sent,
      this.#waitedMs,
      refusal,
    );
  }

  /** Gives up: leaves nothing on the server, and lets the next waiter ask. */
  #fail(error: unknown): void {
    if (this.#over) {
      return;
    }
    this.#finish();
    this.#grants.services.names.leave(this.#grants.protocol, true);
    this.#reject(error);
    if (this.#call !== undefined) {
      this.#hasUnackedCopy =
        this.#grants.services.delivery.abandon(this.#call) || this.#hasUnackedCopy;
    }
    this.#hasUnackedCopy ||= this.#queue?.isAskingFor(this) === true;
    if (this.#hasUnackedCopy || (this.#asksForPosition && this.#everSent)) {
      this.#grants.cancel(this.holderId, this.#hasUnackedCopy);
    }
    this.#queue?.leave(this);
  }

  #finish(): void {
    this.#over = true;
    this.#stopWatching?.();
    this.#terms.waitLimit.dispose();
  }
}
