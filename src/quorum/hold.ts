import { LeaseLostError } from '../errors.js';
import { checkBound, checkInteger, checkTask } from '../core/base/arguments.js';
import { least } from '../core/base/least.js';
import { lossSignal, type LossSignal } from '../core/lease/loss-signal.js';
import type { ClientServices } from '../core/client-services.js';
import { WholeHold } from '../core/locks/whole-hold.js';
import { asError } from '../core/wire/replies.js';
import { shownTokens, type ShownMultiHold } from '../multi-lock/multi-hold.js';
import { notDetachable } from '../core/grant/detachable.js';
import type { Claim } from './claim.js';
import { claimsOf, HeldPart, type HoldFacts } from './held-name.js';
import type { QuorumServices, ScopedName } from './quorum-services.js';
import { lossOf } from './release.js';
import type { Claimant } from './vote-parts.js';

/** The hold of one or several locks of a quorum. */
export class QuorumHold extends WholeHold implements ShownMultiHold, Claimant {
  readonly #services: QuorumServices;
  readonly #facts: HoldFacts;
  readonly #claims: readonly Claim[];
  /** Its names as scopes know them; made where it re-enters, or something may re-enter it. */
  #made: readonly HeldPart[] | undefined;
  readonly #grantedAt: number;
  declare readonly fencingToken?: bigint;
  #error: LeaseLostError | undefined;
  #release: Promise<void> | undefined;
  #loss: LossSignal | undefined;
  #isReleaseReported = false;

  constructor(services: QuorumServices, facts: HoldFacts) {
    super();
    this.#services = services;
    this.#facts = facts;
    this.#grantedAt = services.clock.now();
    this.#claims = claimsOf(facts.names);
    if (facts.names.some(({ outer }) => outer !== undefined)) {
      this.#makeParts();
    }
    for (const claim of this.#claims) {
      claim.join(this);
    }
    const [only] = facts.names;
    const token = only?.claim.tokenOf(only.name);
    if (token !== undefined && facts.names.length === 1) {
      this.fencingToken = token;
    }
    services.client.keepAlive.ref();
    const { events } = services.client;
    if (events.wanted('acquired')) {
      const waitedMs = Math.round(this.#grantedAt - facts.startedAt);
      events.report('acquired', { ...this.held, waitedMs });
    }
  }

  get renewed(): boolean {
    return this.#facts.renewed;
  }

  override get grantedAt(): number {
    return this.#grantedAt;
  }

  override get isRenewed(): boolean {
    return this.renewed && !this.isOver;
  }

  protected override get client(): ClientServices {
    return this.#services.client;
  }

  protected override get isReleased(): boolean {
    return this.#release !== undefined;
  }

  get endsBy(): number | undefined {
    return this.#facts.endsBy;
  }

  get lockName(): string {
    return this.#facts.resource;
  }

  get holderId(): string {
    return this.#claims[0]?.holderId ?? '';
  }

  get depth(): number {
    return 1 + least(this.#facts.names.map(({ outer }) => outer?.depth ?? 0));
  }

  get fencingTokens(): ReadonlyMap<string, bigint> {
    return new Map(
      this.#facts.names.flatMap(({ name, claim }) => {
        const token = claim.tokenOf(name);
        return token === undefined ? [] : [[name.resource, token] as const];
      }),
    );
  }

  get #parts(): readonly HeldPart[] {
    return this.#made ?? this.#makeParts();
  }

  #makeParts(): readonly HeldPart[] {
    const parts = this.#facts.names.map((held) => new HeldPart(held, this));
    this.#made = parts;
    return parts;
  }

  override get held(): { resource: string; kind: 'quorum-lock'; holderId: string } {
    return { resource: this.lockName, kind: 'quorum-lock', holderId: this.holderId };
  }

  protected override get lossNow(): LeaseLostError | undefined {
    if (this.#error === undefined && this.#release === undefined) {
      // A claim that finds that it is over reports that here.
      for (const claim of this.#claims) {
        void claim.error;
      }
    }
    return this.#error;
  }

  get state(): 'held' | 'suspect' | 'lost' | 'released' {
    if (this.lossNow !== undefined) {
      return 'lost';
    }
    if (this.#release !== undefined) {
      return 'released';
    }
    return this.#claims.every(({ state }) => state === 'held') ? 'held' : 'suspect';
  }

  get isHeld(): boolean {
    return !this.isOver && this.#claims.every(({ isProven }) => isProven);
  }

  get remainingMs(): number {
    return this.isHeld ? least(this.#claims.map(({ remainingMs }) => remainingMs)) : 0;
  }

  get signal(): AbortSignal {
    this.#loss ??= lossSignal(() => this.lossNow);
    return this.#loss.signal;
  }

  assertHeld(): void {
    this.assertNotOver();
    if (!this.isHeld) {
      const resource = this.lockName;
      const message = `the lease on "${resource}" is not proven: answers of a majority are to be read`;
      throw new LeaseLostError(message, 'unproven', { resource });
    }
  }

  async extend(leaseMs: number): Promise<void> {
    checkInteger('leaseMs', leaseMs, 1, this.#services.maxLeaseMs);
    this.assertNotOver();
    checkBound(leaseMs, least(this.#claims.map(({ boundMs }) => boundMs)));
    await Promise.all(this.#claims.map((claim) => claim.extend(leaseMs)));
    this.assertHeld();
  }

  detach(): Promise<string> {
    return Promise.reject(notDetachable(this.lockName, 'it is the hold of a quorum'));
  }

  async run<T>(task: () => T | Promise<T>, face: object): Promise<T> {
    checkTask('task', task);
    this.assertHeld();
    const entries = this.#parts.map((part) => part.entryWith(face, this.isWatched));
    return await this.#services.scopes.runInAll(entries, task);
  }

  /** Nobody is told who else asks the servers: the listener is never called. */
  onContended(listener: () => void): () => void {
    checkTask('listener', listener);
    return () => {};
  }

  release(): Promise<void> {
    const error = this.lossNow;
    if (this.#release !== undefined) {
      return this.#release;
    }
    if (error !== undefined) {
      this.#forget();
      return Promise.reject(error);
    }
    this.#release = this.#releaseOnce();
    this.endWatch();
    return this.#release;
  }

  async #releaseOnce(): Promise<void> {
    const leaving = this.#claims.flatMap((claim) => claim.leave(this) ?? []);
    this.#made?.forEach((part) => part.ended());
    try {
      await (leaving.length === 1 ? leaving[0] : Promise.all(leaving));
    } catch (error) {
      const loss = lossOf(this.lockName, error);
      this.foundLost(loss);
      this.#claims.forEach((claim) => claim.foundLost(loss));
      throw error;
    } finally {
      this.#over();
    }
    this.released();
  }

  released(): void {
    const { events } = this.#services.client;
    if (!this.#isReleaseReported && events.wanted('released')) {
      const heldMs = Math.round(this.#services.clock.now() - this.#grantedAt);
      events.report('released', { ...this.held, heldMs });
    }
    this.#isReleaseReported = true;
  }

  foundLost(error: LeaseLostError): void {
    if (this.#error === undefined) {
      this.#error = error;
      this.endWatch();
      this.#loss?.lost(error);
      this.#services.client.events.report('lost', { ...this.held, error });
    }
  }

  lost(error: LeaseLostError): void {
    if (this.#error !== undefined || this.#release !== undefined) {
      return;
    }
    this.foundLost(error);
    this.#made?.forEach((part) => part.ended());
    // Other claims of it are of no use to it any more, and its bound is one of them all.
    const isAtBound = this.renewed && this.endsBy !== undefined && error.reason === 'expired';
    for (const claim of this.#claims) {
      if (isAtBound) {
        claim.endAs('expired');
      }
      claim.leave(this)?.catch((failure: unknown) => {
        this.#services.client.failed(asError(failure));
      });
    }
    this.#freeTurns();
    this.#services.client.keepAlive.unref();
  }

  suspected(cause: Error | undefined): void {
    const { remainingMs } = this;
    this.#services.client.events.report('suspect', { ...this.held, remainingMs, cause });
  }

  #over(): void {
    this.#forget();
    this.#freeTurns();
    this.#services.client.keepAlive.unref();
  }

  /** Its scopes forget it: work that goes on in them acquires afresh. */
  #forget(): void {
    this.#made?.forEach((part) => part.forget());
  }

  #freeTurns(): void {
    for (const part of this.#made ?? []) {
      part.freeTurn();
    }
  }

  /** Its hold of one name. */
  partOf(lockId: string): ScopedName | undefined {
    return this.#parts.find((part) => part.lockId === lockId);
  }

  /** Its names let go of what scopes keep. */
  protected override watched(): void {
    this.#made?.forEach((part) => part.watched());
  }

  toJSON(): object {
    const { lockName, holderId, depth, state, remainingMs } = this;
    const fencing =
      this.fencingToken === undefined
        ? shownTokens(this.fencingTokens)
        : { fencingToken: `${this.fencingToken}` };
    return { kind: 'quorum-lock', lockName, holderId, depth, ...fencing, state, remainingMs };
  }
}
