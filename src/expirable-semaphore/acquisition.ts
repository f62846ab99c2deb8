import { AcquireTimeoutError } from '../errors.js';
import type { PendingCall } from '../core/wire/call.js';
import { Linked } from '../core/base/linked-list.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';
import type { PermitQueue } from '../core/permits/permit-queue.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import { uninitialised } from '../core/permits/uninitialised.js';
import { translate } from '../core/delivery/translate.js';
import type { LeaseTerms } from '../core/base/arguments.js';
import type { LeasedPermitWaiter } from './leased-permit-source.js';
import type { PermitGrants } from './grants.js';
import type { LeasedPermit } from './permit.js';

/** The value of `first` until the first ask. */
const NO_ID = Buffer.alloc(0);

/** The checked arguments of a call. */
export interface PermitTerms extends LeaseTerms {
  readonly count: number;
  /** False: the call makes one attempt and does not wait. */
  readonly waits: boolean;
  readonly waitLimit: WaitLimit;
}

/**
 * One call that acquires permits: it waits in the local queue, which asks for it, until all its
 * permits are granted or its wait ends.
 */
export class PermitAcquisition extends Linked implements LeasedPermitWaiter {
  readonly count: number;
  readonly waits: boolean;
  readonly leaseMs: number;
  first: Buffer = NO_ID;
  readonly #grants: PermitGrants;
  readonly #terms: PermitTerms;
  readonly #resolve: (permits: LeasedPermit[]) => void;
  readonly #reject: (error: unknown) => void;
  #queue: PermitQueue<LeasedPermitWaiter> | undefined;
  #saidBusy = false;
  #stopWatching: (() => void) | undefined;
  #over = false;

  /** Settles by `resolve` with all the permits, or by `reject`: with AcquireTimeoutError on
   * contention, else with another error. */
  constructor(
    grants: PermitGrants,
    terms: PermitTerms,
    resolve: (permits: LeasedPermit[]) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.#grants = grants;
    this.#terms = terms;
    this.count = terms.count;
    this.waits = terms.waits;
    this.leaseMs = terms.leaseMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { waitLimit } = this.#terms;
    if (waitLimit.ending !== undefined) {
      this.#end(waitLimit.ending);
      return;
    }
    waitLimit.onEnd = (ending) => this.#end(ending);
    this.#queue = this.#grants.queue();
    this.#queue.join(this);
  }

  blocked(): void {
    this.#saidBusy = true;
    if (this.waits) {
      this.#stopWatching ??= this.#grants.watchForStall(this.#terms.waitLimit.startedAt);
    }
  }

  granted(call: PendingCall, { lifeMs = -1 }: PermitAnswer): boolean {
    if (this.#over) {
      this.#grants.giveBack(this);
      return true;
    }
    const permits = this.#grants.grant(this, this.#terms, call, lifeMs);
    if (permits === undefined) {
      // The answer took longer than the lease: the permits are given back, and asked for anew.
      this.#grants.giveBack(this);
      return false;
    }
    this.#finish(false);
    this.#resolve(permits);
    for (const permit of permits) {
      this.#grants.announce(permit, this.#terms.waitLimit.startedAt);
    }
    return true;
  }

  refused(): void {
    this.#fail(this.#contention());
  }

  failed(error: Error): void {
    this.#fail(translate(error, this.#grants.protocol.resource));
  }

  #end(ending: Ending): void {
    const { services, protocol } = this.#grants;
    const onTimeout = (): Error => (this.#saidBusy ? this.#contention() : this.#timeout());
    this.#fail(services.client.errorOf(ending, protocol.resource, onTimeout));
  }

  get #waitedMs(): number {
    return this.#grants.services.clock.now() - this.#terms.waitLimit.startedAt;
  }

  #contention(): Error {
    const { resource } = this.#grants.protocol;
    if (this.#grants.isUninitialised) {
      return uninitialised(resource, 'getPermitExpirableSemaphore', this.#grants.wasSeen);
    }
    const waitedMs = Math.round(this.#waitedMs);
    const message = `"${resource}" had not enough permits available within ${waitedMs} ms`;
    return new AcquireTimeoutError(message, { resource });
  }

  #timeout(): Error {
    const { delivery, router } = this.#grants.services;
    const { key, resource } = this.#grants.protocol;
    const isConnected = router.whyDown(key) === undefined;
    const refusal = this.#queue?.refusal;
    return delivery.timeout(resource, key, isConnected, this.#waitedMs, refusal);
  }

  /** Ends the wait with an error; the queue gives back what a call may still be granted. */
  #fail(error: unknown): void {
    if (!this.#over) {
      // A call that fails does not show whether the object exists.
      this.#finish(undefined);
      this.#reject(error);
      this.#queue?.leave(this);
    }
  }

  #finish(gone: boolean | undefined): void {
    const { services, protocol } = this.#grants;
    this.#over = true;
    services.names.leave(protocol, gone);
    this.#stopWatching?.();
    this.#terms.waitLimit.dispose();
  }
}
