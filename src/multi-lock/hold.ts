import { LeaseLostError } from '../errors.js';
import { least } from '../core/base/least.js';
import { checkInteger, checkTask, INT32_MAX } from '../core/base/arguments.js';
import { whenSettled } from '../core/base/async-context.js';
import { lossSignal, type LossSignal } from '../core/lease/loss-signal.js';
import { ContendedListeners } from '../core/grant/contended-listeners.js';
import type { LockHold } from '../core/locks/hold.js';
import type { ClientServices } from '../core/client-services.js';
import { PartedHold } from '../core/locks/within.js';
import { bindAll } from './bound.js';
import { extendParts } from './extension.js';
import { jointError } from './joint-errors.js';
import { shownTokens, type ShownMultiHold } from './multi-hold.js';
import type { HeldParts, PartHold, PartOwner } from './part.js';
import { releaseAll } from './releases.js';

/** The hold of all names: its state is that of the weakest part, and its parts end together. */
export class JointHold extends PartedHold implements ShownMultiHold, PartOwner {
  readonly #held: HeldParts;
  readonly #grantedAt: number;
  readonly #holds: readonly PartHold[];
  readonly #tokens: ReadonlyMap<string, bigint>;
  #error: LeaseLostError | undefined;
  /** The parts that were lost, or whose release has failed. */
  #failures: AggregateError | undefined;
  #loss: LossSignal | undefined;
  /** Another client waits for a part. */
  #isContended = false;
  #listeners: ContendedListeners | undefined;
  #release: Promise<void> | undefined;
  /** Parts whose release was not carried out yet. */
  #left: number;

  constructor(held: HeldParts) {
    super();
    this.#held = held;
    this.#grantedAt = held.locks.services.clock.now();
    this.#holds = held.parts.map(({ hold }) => hold);
    this.#left = this.#holds.length;
    const tokens = this.#holds.flatMap(({ lockName, fencingToken }) =>
      fencingToken === undefined ? [] : [[lockName, fencingToken] as const],
    );
    this.#tokens = new Map(tokens);
    for (const hold of this.#holds) {
      hold.ownedBy = this;
    }
    bindAll(this.#holds, held.maxHoldMs, held.locks.services.clock);
  }

  get lockName(): string {
    return this.#held.resource;
  }

  override get grantedAt(): number {
    return this.#grantedAt;
  }

  override get isRenewed(): boolean {
    return !this.isOver && this.#holds.every(({ lease }) => lease.renewed);
  }

  protected override get client(): ClientServices {
    return this.#held.locks.services.client;
  }

  protected override get isReleased(): boolean {
    return this.#release !== undefined;
  }

  get holderId(): string {
    return this.#holds[0]?.holderId ?? '';
  }

  get fencingTokens(): ReadonlyMap<string, bigint> {
    return this.#tokens;
  }

  get depth(): number {
    return least(this.#holds.map(({ depth }) => depth));
  }

  get loss(): LeaseLostError | undefined {
    return this.#error;
  }

  /** The same, computed from the clock, as that of each part is. */
  protected override get lossNow(): LeaseLostError | undefined {
    if (this.#error === undefined && this.#release === undefined) {
      // A part that finds that its lease is over reports that here.
      this.#holds.some(({ lease }) => lease.error !== undefined);
    }
    return this.#error;
  }

  get state(): ShownMultiHold['state'] {
    if (this.lossNow !== undefined) {
      return 'lost';
    }
    if (this.#release !== undefined) {
      return 'released';
    }
    return this.#holds.every(({ lease }) => lease.state === 'held') ? 'held' : 'suspect';
  }

  get isHeld(): boolean {
    return !this.isOver && this.#holds.every((hold) => hold.isHeld);
  }

  get remainingMs(): number {
    return this.isHeld ? least(this.#holds.map(({ remainingMs }) => remainingMs)) : 0;
  }

  get signal(): AbortSignal {
    this.#loss ??= lossSignal(() => this.lossNow);
    return this.#loss.signal;
  }

  assertHeld(): void {
    this.assertNotOver();
    const unproven = this.#holds.find((hold) => !hold.isHeld);
    if (unproven !== undefined) {
      const message = `the lease on "${unproven.lockName}" is not proven: an answer of the server is to be read`;
      throw new LeaseLostError(message, 'unproven', { resource: this.lockName });
    }
  }

  async extend(leaseMs: number): Promise<void> {
    checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
    this.assertNotOver();
    await extendParts(this.#held, leaseMs);
    this.assertHeld();
  }

  async run<T>(task: () => T | Promise<T>, face: object): Promise<T> {
    checkTask('task', task);
    this.assertHeld();
    const entries = this.#holds.map((hold) => hold.entryWith(face, this.isWatched));
    return await this.#held.locks.scopes.runInAll(entries, task);
  }

  release(): Promise<void> {
    const error = this.lossNow;
    if (this.#release !== undefined) {
      return this.#again(this.#release);
    }
    if (error !== undefined) {
      this.#forget();
      return Promise.reject(error);
    }
    this.#release = this.#releaseForGood();
    this.endWatch();
    return this.#release;
  }

  partOf(lockId: string): LockHold | undefined {
    return this.#holds.find((hold) => hold.lockId === lockId);
  }

  partLost({ lockName, renewed }: PartHold, cause: LeaseLostError): void {
    if (this.#error !== undefined) {
      return;
    }
    const { resource, locks, maxHoldMs } = this.#held;
    const message = `the lease on "${resource}" was lost with "${lockName}": ${cause.message}`;
    this.#failures = new AggregateError([cause], 'parts were lost');
    const error = new LeaseLostError(message, cause.reason, { resource, cause: this.#failures });
    this.#error = error;
    if (maxHoldMs !== undefined && renewed && cause.reason === 'expired') {
      // Its bound is one of all parts, and of what was re-entered for them.
      this.#holds.forEach(({ lease }) => lease.lose('expired'));
    }
    this.endWatch();
    this.#loss?.lost(error);
    locks.services.client.events.report('lost', { ...this.held, error });
    if (this.#release === undefined) {
      // Others need not wait for what this hold is of no use for any more.
      whenSettled(
        this.#releaseAll(),
        () => {},
        (failure) => this.failed(failure),
      );
    }
  }

  partReleased(): void {
    this.#left -= 1;
    const { clock, client } = this.#held.locks.services;
    if (this.#left === 0 && this.#error === undefined && client.events.wanted('released')) {
      const heldMs = Math.round(clock.now() - this.#grantedAt);
      client.events.report('released', { ...this.held, heldMs });
    }
  }

  partSuspected({ lease }: PartHold, _remainingMs: number, cause: Error | undefined): void {
    const isFirst = this.#holds.every((other) => other.lease === lease || !other.lease.isDoubted);
    if (isFirst && this.#error === undefined && this.#release === undefined) {
      const { events } = this.#held.locks.services.client;
      const ends = this.#holds.map(({ remainingMs }) => remainingMs);
      events.report('suspect', { ...this.held, remainingMs: least(ends), cause });
    }
  }

  partContended(): void {
    if (!this.#isContended && !this.isOver) {
      this.#isContended = true;
      const { events } = this.#held.locks.services.client;
      events.report('contended', this.held, () => !this.isOver);
      this.#listeners?.tell();
    }
  }

  onContended(listener: () => void, face: object): () => void {
    checkTask('listener', listener);
    const { locks, parts } = this.#held;
    parts.forEach(({ grants, hold }) => locks.others.watch(hold.lease, grants.protocol));
    this.#listeners ??= new ContendedListeners(locks.services.client.events, () => this.isOver);
    return this.#listeners.add(listener, this.#isContended, face);
  }

  /** It is granted: reports that. */
  announce(startedAt: number): void {
    const { locks, parts } = this.#held;
    const { events } = locks.services.client;
    if (events.wanted('acquired')) {
      const waitedMs = Math.round(this.#grantedAt - startedAt);
      events.report('acquired', { ...this.held, waitedMs });
    }
    for (const { grants, hold } of parts) {
      const { lease } = hold;
      if (lease.alive > 1) {
        locks.others.joined(hold, lease);
      } else {
        locks.others.began(lease, grants.protocol);
      }
    }
  }

  /** Its parts let go of what scopes keep. */
  override watched(): void {
    this.#holds.forEach((hold) => hold.watched());
  }

  toJSON(): object {
    const { lockName, holderId, depth, state, remainingMs, fencingTokens } = this;
    const tokens = shownTokens(fencingTokens);
    return { kind: 'multi-lock', lockName, holderId, depth, ...tokens, state, remainingMs };
  }

  override get held(): { resource: string; kind: 'multi-lock'; holderId: string } {
    return { resource: this.lockName, kind: 'multi-lock', holderId: this.holderId };
  }

  async #releaseForGood(): Promise<void> {
    try {
      await this.#releaseAll();
    } finally {
      this.#forget();
    }
  }

  async #releaseAll(): Promise<void> {
    const { locks, resource } = this.#held;
    const errors = await releaseAll(locks.services, resource, this.#holds);
    const [loss, failures] = [this.#error, this.#failures];
    const isFound = errors.some((error) => error instanceof LeaseLostError);
    if (loss !== undefined && failures !== undefined && isFound) {
      const known = new Set<unknown>(failures.errors);
      failures.errors = [...known, ...errors.filter((error) => !known.has(error))];
      throw loss;
    }
    if (errors.length > 0) {
      throw jointError(resource, errors);
    }
  }

  /** Its owner knows that it is over: so do the scopes of its parts. */
  #forget(): void {
    this.#holds.forEach((hold) => hold.forget());
  }

  /** The first call reports how the release ended, unless that goes on. */
  async #again(first: Promise<void>): Promise<void> {
    await first.catch(() => {});
    await this.#releaseAll();
  }
}
