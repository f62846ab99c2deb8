import { AcquireTimeoutError } from '../errors.js';
import { Chained } from '../core/chain.js';
import type { Ending, Patience } from '../core/patience.js';
import type { PermitQueue } from '../core/permit-queue.js';
import type { PermitAnswer, PermitWaiter } from '../core/permit-source.js';
import type { Sending } from '../core/call.js';
import { translate } from '../core/translate.js';
import type { SemaphoreKeeper } from './keeper.js';
import type { Permits } from './permits.js';

/** What the caller asked for, checked. */
export interface PermitsTerms {
  readonly count: number;
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly patience: Patience;
}

/** One request for permits: waits its turn in the queue of this client until it is granted or its
 * patience ends. */
export class PermitsAcquisition extends Chained implements PermitWaiter {
  readonly count: number;
  readonly waits: boolean;
  readonly #keeper: SemaphoreKeeper;
  readonly #patience: Patience;
  readonly #resolve: (permits: Permits) => void;
  readonly #reject: (error: unknown) => void;
  #queue: PermitQueue<PermitWaiter> | undefined;
  #stopWatching: (() => void) | undefined;
  #over = false;

  /** Resolves with permits; rejects with AcquireTimeoutError on contention, or another error. Counts
   * as a user of the name, which the caller has entered, until then. */
  constructor(
    keeper: SemaphoreKeeper,
    { count, waits, patience }: PermitsTerms,
    resolve: (permits: Permits) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.count = count;
    this.waits = waits;
    this.#keeper = keeper;
    this.#patience = patience;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const patience = this.#patience;
    if (patience.ending !== undefined) {
      this.#end(patience.ending);
      return;
    }
    patience.onEnd = (ending) => this.#end(ending);
    this.#queue = this.#keeper.queue();
    this.#queue.join(this);
  }

  blocked(): void {
    this.#stopWatching ??= this.#keeper.watchForStall(this.#patience.startedAt);
  }

  granted(_call: Sending, { mark }: PermitAnswer): boolean {
    const taken = { permits: this.count, mark };
    if (this.#over) {
      // Granted after it had left: somebody else shall have them.
      this.#keeper.giveBack(taken).catch((error: Error) => this.#keeper.failed(error));
      return true;
    }
    this.#finish(false);
    this.#resolve(this.#keeper.createPermits(taken, this.#patience.startedAt));
    return true;
  }

  refused(): void {
    this.#fail(this.#contention());
  }

  failed(error: Error): void {
    this.#fail(translate(error, this.#keeper.protocol.resource));
  }

  #end(ending: Ending): void {
    const { runtime, protocol } = this.#keeper;
    const wasBlocked = this.#stopWatching !== undefined;
    const onTimeout = (): Error => (wasBlocked ? this.#contention() : this.#timeout());
    this.#fail(runtime.errorOf(ending, protocol.resource, onTimeout));
    this.#queue?.leave(this);
  }

  #contention(): AcquireTimeoutError {
    const { resource } = this.#keeper.protocol;
    const wanted = this.count === 1 ? 'a permit' : `${this.count} permits`;
    const after = `after ${Math.round(this.#waitedMs)} ms`;
    const message = `${wanted} of "${resource}" could not be had ${after}`;
    return new AcquireTimeoutError(message, { resource });
  }

  #timeout(): Error {
    const { delivery, router } = this.#keeper.runtime;
    const { key, resource } = this.#keeper.protocol;
    const isConnected = router.whyDown(key) === undefined;
    return delivery.timeout(resource, key, isConnected, this.#waitedMs);
  }

  get #waitedMs(): number {
    return this.#keeper.runtime.clock.now() - this.#patience.startedAt;
  }

  #fail(error: unknown): void {
    if (!this.#over) {
      // A call that fails has shown nothing about the name.
      this.#finish(undefined);
      this.#reject(error);
    }
  }

  #finish(gone: boolean | undefined): void {
    const { runtime, protocol } = this.#keeper;
    this.#over = true;
    runtime.kinds.leave(protocol, gone);
    this.#stopWatching?.();
    this.#patience.dispose();
  }
}
