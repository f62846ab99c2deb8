// What happened at all: a history in which nobody met anybody shows nothing.

import type { Claim, History, Operation } from '../history.js';
import { groupBy, killedAt } from './spans.js';

export interface Counts {
  readonly operations: number;
  readonly grants: number;
  /** Grants of those that waited while another one held. */
  readonly contended: number;
  readonly reentries: number;
  /** Told that it is busy, or that there is one already. */
  readonly refusals: number;
  /** Holds that the server ended by itself: lost, or of a process that was killed. */
  readonly expiries: number;
  /** Holds that were told to be lost. */
  readonly losses: number;
  /** Waits that ended without a grant: by abort, or because their time was over. */
  readonly cancelledWaits: number;
  readonly unknownOutcomes: number;
  readonly faults: number;
}

export function counts(history: History): Counts {
  const { operations, claims, faults } = history;
  const acquisitions = operations.filter(({ action }) => action === 'acquire');
  const grants = acquisitions.filter(({ outcome }) => outcome === 'ok');
  const waits = operations.filter(({ waits: isWait }) => isWait);
  return {
    operations: operations.length,
    grants: grants.length,
    contended: contended(grants, claims),
    reentries:
      grants.length -
      new Set(grants.map(({ object, owner, mode }) => `${mode} ${object} ${owner}`)).size,
    refusals: operations.filter(({ outcome }) => outcome === 'no').length,
    expiries: claims.filter((claim) => isExpired(history, claim)).length,
    losses: claims.filter(({ toldLostAt }) => toldLostAt !== undefined).length,
    cancelledWaits: waits.filter(isCancelled).length,
    unknownOutcomes: operations.filter(({ outcome }) => outcome === 'unknown').length,
    faults: faults.length,
  };
}

/** The sum over many histories. */
export function sumCounts(all: readonly Counts[]): Counts {
  const names = Object.keys(counts(EMPTY)) as (keyof Counts)[];
  const sums = names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]);
  return Object.fromEntries(sums) as Counts;
}

export function isCounted(history: History, minimum: Partial<Counts>): boolean {
  return missing(counts(history), minimum).length === 0;
}

/** Of what there was too little, in words. */
export function missing(counted: Counts, minimum: Partial<Counts>): string[] {
  return (Object.entries(minimum) as [keyof Counts, number][])
    .filter(([name, least]) => counted[name] < least)
    .map(([name, least]) => `${name}: ${counted[name]}, and at least ${least} were to be`);
}

function contended(grants: readonly Operation[], claims: readonly Claim[]): number {
  const held = groupBy(claims, ({ object }) => object);
  const meets = ({ object, owner, calledAt, returnedAt }: Operation): boolean =>
    (held.get(object) ?? []).some(
      (claim) => claim.owner !== owner && claim.from <= returnedAt && claim.until > calledAt,
    );
  return grants.filter((grant) => grant.waits && meets(grant)).length;
}

function isExpired(history: History, { end, client, leaseMs, until }: Claim): boolean {
  return (
    end === 'lost' ||
    (end === 'open' && Math.max(killedAt(history, client), until) + leaseMs <= history.endedAt)
  );
}

function isCancelled({ outcome, abortedAt }: Operation): boolean {
  return outcome === 'no' || (outcome === 'failed' && abortedAt !== undefined);
}

const EMPTY: History = {
  seed: 0,
  operations: [],
  claims: [],
  faults: [],
  fencedStore: { writes: [], value: 0 },
  openStore: { writes: [], value: 0 },
  closings: [],
  told: [],
  healedAt: 0,
  quietAt: Number.POSITIVE_INFINITY,
  endedAt: 0,
  left: [],
  isCrowd: false,
  isFlow: false,
  surprises: [],
};
