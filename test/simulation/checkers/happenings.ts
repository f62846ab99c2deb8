// What happened to one object, and what may have happened to it without being told: grants that
// nobody got to know of, and grants that the server ended.

import type { Action, Claim, Fault, History, Kind, Mode, Operation } from '../history.js';
import type { Bounds } from './bounds.js';
import { endOf, groupBy, isDisturbed, killedAt, lossesOf, stepMs, type Span } from './spans.js';

/** An acquisition that told nobody of a grant, and for how long the server may have kept one. */
export interface Ghost extends Span {
  readonly operation: Operation;
}

/** With a lease, what is left behind goes by itself. */
const hasLease = (kind: Kind): boolean => kind !== 'semaphore' && kind !== 'latch';

/** Waiters of all clients stand in one line: who asks is refused because of those before it. */
export const hasLine = (kind: Kind): boolean =>
  kind !== 'lock' && kind !== 'fenced' && kind !== 'latch';

export class Happenings {
  readonly history: History;
  readonly bounds: Bounds;
  readonly object: string;
  readonly kind: Kind;
  readonly operations: readonly Operation[];
  readonly claims: readonly Claim[];
  readonly losses: readonly Fault[];
  readonly #claims: ReadonlyMap<number, readonly Claim[]>;
  readonly #releases: ReadonlyMap<string, readonly Operation[]>;
  /** Of all that was granted. */
  readonly longestLeaseMs: number;
  /** What ends the holds of others. */
  #ends: readonly Span[] | undefined;
  #ghosts: readonly Ghost[] | undefined;
  #waiters: readonly Operation[] | undefined;

  constructor(history: History, bounds: Bounds, operations: readonly Operation[]) {
    this.history = history;
    this.bounds = bounds;
    this.operations = operations;
    this.object = operations[0]!.object;
    this.kind = operations[0]!.kind;
    this.claims = history.claims.filter(({ object }) => object === this.object);
    this.#claims = groupBy(this.claims, ({ operation }) => operation);
    this.losses = lossesOf(history, this.object);
    const releases = operations.filter(({ action }) => action === 'release');
    this.#releases = groupBy(releases, ({ owner, mode }) => `${mode} ${owner}`);
    const longest = history.claims.reduce((most, { leaseMs }) => Math.max(most, leaseMs), 0);
    this.longestLeaseMs = longest === 0 ? bounds.leaseMs : longest;
  }

  /** Permits that were acquired together have one each. */
  claimsOf({ id }: Operation): readonly Claim[] {
    return this.#claims.get(id) ?? [];
  }

  /** Acquisitions that may have had a grant on the server of which nobody was told. */
  get ghosts(): readonly Ghost[] {
    this.#ghosts ??= this.operations.flatMap((operation) => this.#ghostOf(operation) ?? []);
    return this.#ghosts;
  }

  /** Those of others than its own that a call may have met. */
  ghostsMetBy({ owner, calledAt, returnedAt }: Operation): Ghost[] {
    return this.ghosts.filter(
      (ghost) =>
        ghost.from <= returnedAt && ghost.until >= calledAt && ghost.operation.owner !== owner,
    );
  }

  /** True when a refusal may have another reason than those who are told to hold. */
  isExcusedRefusal(operation: Operation): boolean {
    return this.ghostsMetBy(operation).length > 0 || this.isExcusedByOthers(operation);
  }

  /** The same, where ghosts are looked at elsewhere. */
  isExcusedByOthers(operation: Operation): boolean {
    return (
      this.#stoodBehind(operation) || this.#wasInOpenTurn(operation) || this.isInLoss(operation)
    );
  }

  /** True in the time after a loss of data in which late copies of commands may take anything. */
  isInLoss({ calledAt, returnedAt }: Operation): boolean {
    return this.losses.some(
      ({ from, until }) =>
        from <= returnedAt && until + this.bounds.lateMs + this.longestLeaseMs >= calledAt,
    );
  }

  leaseMsOf(operation: Operation): number {
    return operation.leaseMs ?? this.claimsOf(operation)[0]?.leaseMs ?? this.longestLeaseMs;
  }

  /** Of each hold that the server may have ended by itself: from when on. */
  lapses(keyOf: (mode: Mode, owner: string) => string): Map<string, number> {
    const grants = this.operations.filter(
      ({ action, outcome }) => action === 'acquire' && outcome === 'ok',
    );
    const groups = groupBy(grants, ({ owner, mode }) => keyOf(mode, owner));
    const lapses = new Map<string, number>();
    for (const [key, own] of groups) {
      const losses = this.losses.filter((loss) => own.some((grant) => this.#concerns(loss, grant)));
      const ends = [
        ...own.flatMap((grant) => this.#endsOf(grant)),
        ...losses.map(({ from }) => from),
        this.#unsureRelease(own),
      ];
      const from = Math.min(...ends);
      if (from < Number.POSITIVE_INFINITY) {
        lapses.set(key, from);
      }
    }
    return lapses;
  }

  /** When the last of all releases of an owner was called, where one of them may not be done: its lease
   * ends instead, or had ended before. */
  #unsureRelease(grants: readonly Operation[]): number {
    const { mode, owner } = grants[0]!;
    const releases = this.#releases.get(`${mode} ${owner}`) ?? [];
    const isUnsure = releases.some(({ outcome }) => outcome !== 'ok');
    const isAll = sumOf(releases) >= sumOf(grants);
    return isUnsure && isAll
      ? Math.max(...releases.map(({ calledAt }) => calledAt))
      : Number.POSITIVE_INFINITY;
  }

  /** True for what the server may not know any more when it is released, though nobody was told. */
  isShaky(operation: Operation): boolean {
    this.#ends ??= [
      ...this.losses.map(({ from, until }) => ({ from, until })),
      ...this.operations
        .filter(
          ({ action, outcome }) => mayEnd(action) && (outcome === 'ok' || outcome === 'unknown'),
        )
        .map((end) => ({ from: end.calledAt, until: end.returnedAt })),
    ];
    if (this.#ends.length === 0) {
      return false;
    }
    const { calledAt, returnedAt, owner } = operation;
    const grants = this.operations.filter(
      (other) => other.action === 'acquire' && other.owner === owner,
    );
    const since = Math.min(...grants.map((grant) => grant.calledAt), calledAt);
    return this.#ends.some(({ from, until }) => from <= returnedAt && until >= since);
  }

  /** When the server may end a grant by itself: its lease was lost, or nobody renews it any more. */
  #endsOf(grant: Operation): number[] {
    const claims = this.claimsOf(grant);
    return claims.length === 0
      ? [grant.returnedAt]
      : claims.flatMap((claim) => this.endOf(grant, claim) ?? []);
  }

  /** When the server may end one hold of a grant by itself. */
  endOf(grant: Operation, { end, from, until, firstMs }: Claim): number | undefined {
    const { settleMs, drift, networkMs } = this.bounds;
    switch (end) {
      case 'lost':
        // It may have been over for a moment when that was seen.
        return until - settleMs;
      case 'open':
        return Math.max(until, from + firstMs * (1 - drift));
      default: {
        // A client that closes releases without a call for each hold.
        const releases = this.#releases.get(`${grant.mode} ${grant.owner}`) ?? [];
        const own = releases.filter(({ calledAt }) => calledAt >= until - networkMs);
        // A release that finds nothing to release says that the hold was over before.
        return own.length > 0 && own.every(({ outcome }) => outcome !== 'no') ? undefined : until;
      }
    }
  }

  #concerns(loss: Fault, grant: Operation): boolean {
    const claims = this.claimsOf(grant);
    // What nobody can use any more the server keeps for a while.
    const isThere = claims.some(({ end, until }) => end === 'open' || until >= loss.from);
    return grant.calledAt <= loss.until && (claims.length === 0 || isThere);
  }

  #ghostOf(operation: Operation): Ghost | undefined {
    const { action, outcome, error, calledAt, returnedAt, waits, client, abortedAt } = operation;
    const span = { from: calledAt, until: returnedAt };
    const isSound = !isDisturbed(this.history, client, span);
    // Without a wait the server has refused; unless a grant that came too late was asked for anew.
    const isRefused = outcome === 'no' && !waits && isSound;
    if (action !== 'acquire' || isRefused || NOT_SENT.has(error ?? '')) {
      return undefined;
    }
    if (outcome === 'ok') {
      // Its answer may have been lost, and what it had may have been released by force since.
      return isSound ? undefined : { operation, ...span };
    }
    // In a sound network a grant that came too late came within the last round trip.
    const isLate = isSound && (outcome === 'no' || abortedAt !== undefined);
    const from = isLate
      ? Math.max(calledAt, returnedAt - 2 * this.bounds.networkMs - this.bounds.settleMs)
      : calledAt;
    return { operation, from, until: this.#goneBy(operation) };
  }

  /** Another waiter in the same line, or one that left it a short time ago. */
  #stoodBehind(operation: Operation): boolean {
    this.#waiters ??= this.operations.filter(({ action, waits }) => action === 'acquire' && waits);
    const { cleanUpMs, passOverMs } = this.bounds;
    return this.#waiters.some((waiter) => {
      if (waiter === operation || waiter.calledAt > operation.returnedAt) {
        return false;
      }
      if (waiter.client !== operation.client && !hasLine(this.kind)) {
        return false;
      }
      const until = Math.min(waiter.returnedAt, killedAt(this.history, waiter.client));
      if (until + cleanUpMs >= operation.calledAt) {
        return true;
      }
      // The line waits for one that is not heard of.
      const span = { from: waiter.calledAt, until };
      return (
        until + cleanUpMs + passOverMs >= operation.calledAt &&
        isDisturbed(this.history, waiter.client, span, passOverMs)
      );
    });
  }

  /** It waited for a moment only, in which a released lock was left to those who stand in no line. */
  #wasInOpenTurn({ waits, calledAt, returnedAt }: Operation): boolean {
    const { networkMs, openTurnMs } = this.bounds;
    return (
      waits &&
      (this.kind === 'lock' || this.kind === 'fenced') &&
      this.operations.some(
        (release) =>
          release.action === 'release' &&
          release.calledAt <= returnedAt &&
          release.returnedAt + openTurnMs >= calledAt &&
          returnedAt - release.returnedAt <= openTurnMs + networkMs,
      )
    );
  }

  /** When a grant of which nobody knows is gone at the latest. */
  #goneBy(operation: Operation): number {
    const { networkMs, lateMs, recoveryMs, cleanUpMs, drift } = this.bounds;
    const { client, calledAt, returnedAt } = operation;
    const end = Math.min(returnedAt, killedAt(this.history, client));
    let granted = end + networkMs;
    let gone = end + networkMs + cleanUpMs;
    let stretchMs = 0;
    let isCleanedUp = true;
    for (const fault of this.history.faults.toSorted((a, b) => a.from - b.from)) {
      if (fault.what === 'clock step' && fault.until >= calledAt) {
        stretchMs += Math.max(0, -stepMs(fault));
      }
      const concerns = fault.client === undefined || fault.client === client;
      if (concerns && fault.from <= gone && endOf(fault) >= calledAt) {
        granted = fault.what === 'kill' ? granted + lateMs : fault.until + lateMs;
        gone = Math.max(gone, endOf(fault) + lateMs + recoveryMs + cleanUpMs);
        isCleanedUp &&= fault.what !== 'no right';
      }
    }
    if (!hasLease(this.kind)) {
      return gone;
    }
    const leaseMs = this.leaseMsOf(operation) * (1 + drift) + stretchMs;
    const over = Math.max(granted, end + networkMs) + leaseMs;
    return isCleanedUp ? Math.min(gone, over) : over;
  }
}

const sumOf = (operations: readonly Operation[]): number =>
  operations.reduce((sum, { amount }) => sum + amount, 0);

const mayEnd = (action: Action): boolean => action === 'force' || action === 'delete';

/** Refused by the client itself, before anything was sent. */
const NOT_SENT = new Set(['DeadlockError', 'RangeError', 'TypeError', 'LeaseLostError']);

/** The objects of a history that are of certain kinds. */
export function happeningsOf(
  history: History,
  bounds: Bounds,
  kinds: ReadonlySet<Kind>,
): Happenings[] {
  const operations = history.operations.filter(({ kind }) => kinds.has(kind));
  return [...groupBy(operations, ({ object }) => object).values()].map(
    (own) => new Happenings(history, bounds, own),
  );
}
