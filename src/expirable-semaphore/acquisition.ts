import { AcquireTimeoutError } from '../errors.js';
import type { Sending } from '../core/call.js';
import { Chained } from '../core/chain.js';
import type { Ending, Patience } from '../core/patience.js';
import type { PermitQueue } from '../core/permit-queue.js';
import type { PermitAnswer } from '../core/permit-source.js';
import { translate } from '../core/translate.js';
import type { LeaseTerms } from '../core/validate.js';
import type { Claimant } from './claims.js';
import type { PermitKeeper } from './keeper.js';
import type { LeasedPermit } from './permit.js';

/** Until it is asked for. */
const NO_ID = Buffer.alloc(0);

/** What the caller asked for, checked. */
export interface PermitTerms extends LeaseTerms {
  readonly count: number;
  /** False: one attempt, no waiting. */
  readonly waits: boolean;
  readonly patience: Patience;
}

/**
 * One request for permits: it stands in the local queue, which asks for it, until all its permits
 * are granted or its patience ends.
 */
export class PermitAcquisition extends Chained implements Claimant {
  readonly count: number;
  readonly waits: boolean;
  readonly leaseMs: number;
  first: Buffer = NO_ID;
  readonly #keeper: PermitKeeper;
  readonly #terms: PermitTerms;
  readonly #resolve: (permits: LeasedPermit[]) => void;
  readonly #reject: (error: unknown) => void;
  #queue: PermitQueue<Claimant> | undefined;
  #saidBusy = false;
  #stopWatching: (() => void) | undefined;
  #over = false;

  /** Resolves with all the permits; rejects with AcquireTimeoutError on contention, or another
   * error. Counts as a user of the name, which the caller has entered, until then. */
  constructor(
    keeper: PermitKeeper,
    terms: PermitTerms,
    resolve: (permits: LeasedPermit[]) => void,
    reject: (error: unknown) => void,
  ) {
    super();
    this.#keeper = keeper;
    this.#terms = terms;
    this.count = terms.count;
    this.waits = terms.waits;
    this.leaseMs = terms.leaseMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { patience } = this.#terms;
    if (patience.ending !== undefined) {
      this.#end(patience.ending);
      return;
    }
    patience.onEnd = (ending) => this.#end(ending);
    this.#queue = this.#keeper.queue();
    this.#queue.join(this);
  }

  blocked(): void {
    this.#saidBusy = true;
    if (this.waits) {
      this.#stopWatching ??= this.#keeper.watchForStall(this.#terms.patience.startedAt);
    }
  }

  granted(call: Sending, { lifeMs = -1 }: PermitAnswer): boolean {
    if (this.#over) {
      this.#keeper.giveBack(this);
      return true;
    }
    const permits = this.#keeper.grant(this, this.#terms, call, lifeMs);
    if (permits === undefined) {
      // The answer took longer than the lease: take it back and ask anew.
      this.#keeper.giveBack(this);
      return false;
    }
    this.#finish(false);
    this.#resolve(permits);
    for (const permit of permits) {
      this.#keeper.announce(permit, this.#terms.patience.startedAt);
    }
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
    const onTimeout = (): Error => (this.#saidBusy ? this.#contention() : this.#timeout());
    this.#fail(runtime.errorOf(ending, protocol.resource, onTimeout));
  }

  get #waitedMs(): number {
    return this.#keeper.runtime.clock.now() - this.#terms.patience.startedAt;
  }

  #contention(): Error {
    const { resource } = this.#keeper.protocol;
    const waitedMs = Math.round(this.#waitedMs);
    const message = `"${resource}" had not enough permits available within ${waitedMs} ms`;
    return new AcquireTimeoutError(message, { resource });
  }

  #timeout(): Error {
    const { runtime, protocol } = this.#keeper;
    const isConnected = runtime.router.whyDown(protocol.key) === undefined;
    return runtime.delivery.timeout(protocol.resource, protocol.key, isConnected, this.#waitedMs);
  }

  /** Gives up: what an ask for it may have got is given back, and the others go on. */
  #fail(error: unknown): void {
    if (!this.#over) {
      // A call that fails has shown nothing about the name.
      this.#finish(undefined);
      this.#reject(error);
      this.#queue?.leave(this);
    }
  }

  #finish(gone: boolean | undefined): void {
    const { runtime, protocol } = this.#keeper;
    this.#over = true;
    runtime.kinds.leave(protocol, gone);
    this.#stopWatching?.();
    this.#terms.patience.dispose();
  }
}
