// Nobody is told to hold what another one holds, and no permit more than there are.

import type { Claim, Fault, Operation, Violation } from '../history.js';
import { excusesOf, mayHaveRun } from './excuses.js';
import type { Checker } from './property.js';
import { at, groupBy, isGivenTwice, lossesOf, nameOf, without, type Span } from './spans.js';

interface Held extends Span {
  readonly claim: Claim;
}

export const checkExclusion: Checker = ({ history, bounds, property, kinds }) => {
  const locks = history.claims.filter(({ kind }) => kinds.has(kind));
  const violations = [...groupBy(locks, ({ object }) => object)].flatMap(([object, claims]) => {
    const excuses = excusesOf(history, bounds, object);
    const held = claims.flatMap((claim) =>
      without(claim, excuses(claim)).map((span) => ({ claim, ...span })),
    );
    return overlaps(property, held);
  });
  return { checked: locks.length, violations };
};

/** In one client nothing is an excuse: it knows all holds that it tells of. */
export const checkExclusionInClient: Checker = ({ history, property, kinds }) => {
  const locks = history.claims.filter(({ kind }) => kinds.has(kind));
  const groups = groupBy(locks, ({ object, client }) => `${client} ${object}`);
  const violations = [...groups.values()].flatMap((claims) =>
    overlaps(
      property,
      claims.map((claim) => ({ claim, from: claim.from, until: claim.until })),
    ),
  );
  return { checked: locks.length, violations };
};

function overlaps(property: string, held: readonly Held[]): Violation[] {
  const sorted = held.toSorted((a, b) => a.from - b.from);
  const violations: Violation[] = [];
  let alive: Held[] = [];
  for (const one of sorted) {
    // A hold is true before its end, and not at it.
    alive = alive.filter(({ until }) => until > one.from);
    for (const other of alive) {
      const shares = one.claim.mode === 'shared' && other.claim.mode === 'shared';
      if (one.claim.owner !== other.claim.owner && !shares && one.until > one.from) {
        const until = Math.min(one.until, other.until);
        const text = `${nameOf(other.claim)} and ${nameOf(one.claim)} were both told held from ${at(one.from)} to ${at(until)}`;
        violations.push({ property, object: one.claim.object, at: one.from, text });
      }
    }
    alive.push(one);
  }
  return violations;
}

/** Permits: never more in use than there can have been since the oldest of them was asked for. */
export const checkPermits: Checker = ({ history, bounds, property, kinds }) => {
  const permits = history.claims.filter(({ kind }) => kinds.has(kind));
  const operations = groupBy(history.operations, ({ object }) => object);
  const violations = [...groupBy(permits, ({ object }) => object)].flatMap(([object, claims]) => {
    const own = operations.get(object) ?? [];
    const isOwned = claims[0]!.kind === 'expirable';
    const losses = lossesOf(history, object).filter(({ what }) => what !== 'clock step');
    const failovers = losses.filter(({ what }) => what === 'failover');
    const firstFailover = Math.min(...failovers.map(({ from }) => from));
    const twice = own.filter((call) => isGivenTwice(history, call));
    const limit = new Limit(own, isOwned, losses, twice);
    const excuses = excusesOf(history, bounds, object);
    const calledAt = new Map(own.map((operation) => [operation.id, operation.calledAt]));
    const uses = claims.flatMap((claim) =>
      without(claim, excuses(claim).map(isOwned ? same : forEver)).map((span) => ({
        ...span,
        permits: claim.permits,
        since: calledAt.get(claim.operation) ?? claim.from,
      })),
    );
    // A failover may forget a grant, and then take its permits back.
    const known = isOwned ? uses : uses.filter(({ from }) => from < firstFailover);
    const found = firstExcess(known, limit);
    return found === undefined ? [] : [{ property, object, ...found }];
  });
  return { checked: permits.length, violations };
};

const same = (span: Span): Span => span;
/** Permits without an owner are not missed by the semaphore that came after theirs. */
const forEver = ({ from }: Span): Span => ({ from, until: Number.POSITIVE_INFINITY });

interface Use extends Span {
  readonly permits: number;
  readonly since: number;
}

function firstExcess(
  uses: readonly Use[],
  limit: Limit,
): { readonly at: number; readonly text: string } | undefined {
  let alive: Use[] = [];
  for (const use of uses.toSorted((a, b) => a.from - b.from)) {
    alive = alive.filter(({ until }) => until > use.from);
    alive.push(use);
    const taken = alive.reduce((sum, { permits }) => sum + permits, 0);
    const most = limit.mostIn({
      from: Math.min(...alive.map(({ since }) => since)),
      until: use.from,
    });
    if (taken > most) {
      const text = `${taken} permits were in use at ${at(use.from)}, and there were never more than ${most}`;
      return { at: use.from, text };
    }
  }
  return undefined;
}

/** What sets the number of permits. */
type Start = Pick<Operation, 'amount' | 'outcome' | 'calledAt' | 'returnedAt'>;

const flushed = (calledAt: number, returnedAt: number): Start => ({
  amount: 0,
  outcome: 'unknown',
  calledAt,
  returnedAt,
});

/** The most permits that there can have been, in use or not. */
class Limit {
  readonly #changes: readonly {
    readonly from: number;
    readonly until: number;
    readonly by: number;
  }[];
  readonly #sets: readonly Start[];
  /** A failover may undo what was done before it: -Infinity when there was none. */
  readonly #lastFailover: number;

  /** `twice`: releases that may have run twice. */
  constructor(
    operations: readonly Operation[],
    isOwned: boolean,
    losses: readonly Fault[],
    twice: readonly Operation[],
  ) {
    const failovers = losses.filter(({ what }) => what === 'failover');
    const lastFailover = Math.max(...failovers.map(({ until }) => until));
    this.#lastFailover = lastFailover;
    const owners = new Set(
      operations.flatMap(({ action, owner }) => (action === 'acquire' ? [owner] : [])),
    );
    const done = operations.filter((call) => mayHaveRun(losses, call));
    // One that was deleted is made anew by those who set or add.
    const sets = done.flatMap((operation) => {
      const { action } = operation;
      return action === 'delete'
        ? [{ ...operation, amount: 0 }]
        : action === 'set'
          ? [operation]
          : [];
    });
    // So is one that was flushed, unless a late copy of a call sets it again.
    const flushes = losses
      .filter(({ what }) => what === 'flush')
      .map(({ from, until }) => flushed(from, until));
    this.#sets = [...sets, ...flushes];
    const changes = done.flatMap(({ action, owner, outcome, amount, answer, ...call }) => {
      const isForeign = action === 'release' && !isOwned && !owners.has(owner);
      const by =
        action === 'add' || isForeign ? amount : action === 'drain' ? -Number(answer ?? 0) : 0;
      // What takes away counts once it is done for certain, what adds from its call on.
      const isSure = by > 0 || (outcome === 'ok' && call.calledAt > lastFailover);
      return by === 0 || !isSure ? [] : [{ from: call.calledAt, until: call.returnedAt, by }];
    });
    const again = twice.map(({ calledAt: from, returnedAt: until, amount: by }) => ({
      from,
      until,
      by,
    }));
    this.#changes = [...changes, ...again];
  }

  /** At any instant of a span. */
  mostIn(span: Span): number {
    const instants = [...this.#changes, ...this.#sets.map(({ calledAt: from }) => ({ from }))]
      .map(({ from }) => from)
      .filter((from) => from > span.from && from <= span.until);
    return Math.max(...[span.from, ...instants].map((instant) => this.#mostAt(instant, span)));
  }

  #mostAt(instant: number, span: Span): number {
    const sets = this.#sets.filter(
      (set) => set.calledAt <= instant && !this.#isGone(set, span.from),
    );
    // None was set at all: those who add make it.
    const starts = sets.length === 0 ? [{ amount: 0, returnedAt: Number.NEGATIVE_INFINITY }] : sets;
    return Math.max(
      ...starts.map(({ amount, returnedAt }) =>
        this.#changes.reduce((sum, { from, until, by }) => {
          const counts = by > 0 ? from <= instant : from >= returnedAt && until < instant;
          return counts ? sum + by : sum;
        }, amount),
      ),
    );
  }

  /** A later call has set it: it had gone before. */
  #isGone(set: Start, instant: number): boolean {
    return this.#sets.some(
      (other) =>
        other !== set &&
        other.outcome === 'ok' &&
        other.calledAt >= set.returnedAt &&
        other.calledAt > this.#lastFailover &&
        other.returnedAt < instant,
    );
  }
}
