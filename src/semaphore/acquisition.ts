import { AcquireTimeoutError } from '../errors.js';
import { Linked } from '../core/base/linked-list.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';
import type { PermitQueue } from '../core/permits/permit-queue.js';
import { uninitialised } from '../core/permits/uninitialised.js';
import type { PermitAnswer, PermitWaiter } from '../core/permits/permit-source.js';
import type { PendingCall } from '../core/wire/call.js';
import { translate } from '../core/delivery/translate.js';
import type { SemaphoreGrants } from './grants.js';
import type { Permits } from './permits.js';

/** The checked arguments of a call. */
export interface PermitsTerms {
  readonly count: number;
  /** False: the call makes one attempt and does not wait. */
  readonly waits: boolean;
  readonly waitLimit: WaitLimit;
}

/** One call that acquires permits: it waits in the local queue until it is granted or its wait
 * ends. */
export class PermitsAcquisition extends Linked implements PermitWaiter {
  readonly count: number;
  readonly waits: boolean;
  readonly #grants: SemaphoreGrants;
  readonly #waitLimit: WaitLimit;
  readonly #resolve: (permits: Permits) => void;
  readonly #reject: (error: unknown) => void;
  #queue: PermitQueue<PermitWaiter> | undefined;
  #stopWatching: (() => void) | undefined;
  #over = false;

  /** Settles by `resolve` with permits, or by `reject`: with AcquireTimeoutError on contention,
   * else with another error. */
  constructor(
    grants: SemaphoreGrants,
    { count, waits, waitLimit }: PermitsTerms,
    resolve: (permits: Permits) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.count = count;
    this.waits = waits;
    this.#grants = grants;
    this.#waitLimit = waitLimit;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const waitLimit = this.#waitLimit;
    if (waitLimit.ending !== undefined) {
      this.#end(waitLimit.ending);
      return;
    }
    waitLimit.onEnd = (ending) => this.#end(ending);
    this.#queue = this.#grants.queue();
    this.#queue.join(this);
  }

  blocked(): void {
    this.#stopWatching ??= this.#grants.watchForStall(this.#waitLimit.startedAt);
  }

  granted(_call: PendingCall, { mark }: PermitAnswer): boolean {
    const taken = { permits: this.count, mark };
    if (this.#over) {
      // The wait had ended before the grant: the permits are given back.
      this.#grants.giveBack(taken).catch((error: Error) => this.#grants.failed(error));
      return true;
    }
    this.#finish(false);
    this.#resolve(this.#grants.createPermits(taken, this.#waitLimit.startedAt));
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
    const wasBlocked = this.#stopWatching !== undefined;
    const onTimeout = (): Error => (wasBlocked ? this.#contention() : this.#timeout());
    this.#fail(services.client.errorOf(ending, protocol.resource, onTimeout));
    this.#queue?.leave(this);
  }

  #contention(): AcquireTimeoutError {
    const { resource } = this.#grants.protocol;
    if (this.#grants.isUninitialised) {
      return uninitialised(resource, 'getSemaphore', this.#grants.wasSeen);
    }
    const wanted = this.count === 1 ? 'a permit' : `${this.count} permits`;
    const after = `after ${Math.round(this.#waitedMs)} ms`;
    const message = `${wanted} of "${resource}" could not be had ${after}`;
    return new AcquireTimeoutError(message, { resource });
  }

  #timeout(): Error {
    const { delivery, router } = this.#grants.services;
    const { key, resource } = this.#grants.protocol;
    const isConnected = router.whyDown(key) === undefined;
    const refusal = this.#queue?.refusal;
    return delivery.timeout(resource, key, isConnected, this.#waitedMs, refusal);
  }

  get #waitedMs(): number {
    return this.#grants.services.clock.now() - this.#waitLimit.startedAt;
  }

  #fail(error: unknown): void {
    if (!this.#over) {
      // A call that fails does not show whether the object exists.
      this.#finish(undefined);
      this.#reject(error);
    }
  }

  #finish(gone: boolean | undefined): void {
    const { services, protocol } = this.#grants;
    this.#over = true;
    services.names.leave(protocol, gone);
    this.#stopWatching?.();
    this.#waitLimit.dispose();
  }
}
