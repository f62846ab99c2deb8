// Spans of time, and which faults concern whom in them.

import type { Claim, Fault, FaultKind, History, Operation } from '../history.js';

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Items by what they have in common. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

/** The holds of the run that a hold is of, itself among them: they share its holder id. */
export function runOf(claims: readonly Claim[], claim: Claim): readonly Claim[] {
  const { object, holderId } = claim;
  return holderId === undefined
    ? [claim]
    : claims.filter((one) => one.holderId === holderId && one.object === object);
}

/**
 * Since when the server was asked for what a call was granted. A waiter that gives up leaves its place to the next one
 * of its client, which may have begun after the server has granted it: and after somebody has freed it by force.
 */
export function placeSince(operations: readonly Operation[], grant: Operation): number {
  const { object, client, mode } = grant;
  let left = operations.filter(
    (one) =>
      one.action === 'acquire' &&
      one.waits &&
      one.outcome !== 'ok' &&
      one.object === object &&
      one.client === client &&
      one.mode === mode,
  );
  const places = [grant];
  for (const { calledAt, returnedAt } of places) {
    const isBefore = (one: Operation): boolean =>
      one.calledAt < calledAt && one.returnedAt >= calledAt && one.returnedAt <= returnedAt;
    // Each is followed once: in a crowd there are more ways through them than can be walked.
    places.push(...left.filter(isBefore));
    left = left.filter((one) => !isBefore(one));
  }
  return Math.min(...places.map(({ calledAt }) => calledAt));
}

/** What is left of a span without others. */
export function without(span: Span, cuts: readonly Span[]): Span[] {
  let rest = [span];
  for (const cut of cuts) {
    rest = rest.flatMap((one) => {
      if (cut.until <= one.from || cut.from >= one.until) {
        return [one];
      }
      return [
        ...(one.from < cut.from ? [{ from: one.from, until: cut.from }] : []),
        ...(one.until > cut.until ? [{ from: cut.until, until: one.until }] : []),
      ];
    });
  }
  return rest;
}

const meets = (one: Span, other: Span): boolean =>
  one.from <= other.until && other.from <= one.until;

/** The server forgot, or gave away early, what it had granted. */
const LOSSES: ReadonlySet<FaultKind> = new Set(['flush', 'failover', 'clock step']);

/** By how much a step moves the clock of the server; NaN when it does not say. */
export function stepMs({ detail }: Fault): number {
  return Number.parseFloat(detail);
}

/** The faults under which an object may lose what it had granted. A step back loses nothing. */
export function lossesOf(history: History, object: string): Fault[] {
  return history.faults.filter(
    (fault) =>
      LOSSES.has(fault.what) &&
      (fault.object === undefined || fault.object === object) &&
      !(fault.what === 'clock step' && stepMs(fault) <= 0),
  );
}

/** When the process of a client was killed; Infinity when it was not. */
export function killedAt(history: History, client: number): number {
  const kills = history.faults.filter((fault) => fault.what === 'kill' && fault.client === client);
  return Math.min(Number.POSITIVE_INFINITY, ...kills.map(({ from }) => from));
}

/** True when a client was neither killed nor closed before an instant. */
export function isThere(history: History, client: number, until: number): boolean {
  const isClosed = history.closings.some((one) => one.client === client && one.at < until);
  return !isClosed && killedAt(history, client) >= until;
}

/** A fault of a client, or of the server, that meets a span, with the time that recovery takes. */
export function isDisturbed(history: History, client: number, span: Span, afterMs = 0): boolean {
  return history.faults.some(
    (fault) =>
      (fault.client === undefined || fault.client === client) &&
      meets({ from: fault.from, until: endOf(fault) + afterMs }, span),
  );
}

/** What keeps bytes under way. */
const DELAYS: ReadonlySet<FaultKind> = new Set(['cut', 'half-open', 'slow', 'server stall']);

/** True when bytes of a client may have arrived late in a span. */
export function isHeldUp(history: History, client: number, span: Span): boolean {
  return history.faults.some(
    (fault) =>
      DELAYS.has(fault.what) &&
      (fault.client === undefined || fault.client === client) &&
      meets(fault, span),
  );
}

/** What was sent, and of which nothing could be learnt for so long, is given up: the server may forget
 * that it ran. */
const FORGOTTEN_MS = 600_000;

/** The outages that meet a span and were so long that calls of a client were given up. */
export function longOutages(history: History, client: number, span: Span): Fault[] {
  return history.faults.filter(
    (fault) =>
      fault.what !== 'kill' &&
      fault.until - fault.from >= FORGOTTEN_MS &&
      (fault.client === undefined || fault.client === client) &&
      meets(fault, span),
  );
}

/** True for permits that may have been given back twice: the first release was sent before a long
 * outage, nothing could be learnt of it, and its owner released them anew. */
export function isGivenTwice(history: History, release: Operation): boolean {
  const { kind, action, client, calledAt, returnedAt } = release;
  const until = Math.min(returnedAt, killedAt(history, client));
  return (
    kind === 'semaphore' &&
    action === 'release' &&
    until - calledAt >= FORGOTTEN_MS &&
    longOutages(history, client, { from: calledAt, until }).some(({ from }) => from >= calledAt)
  );
}

/** A killed process never comes back. */
export function endOf({ what, until }: Fault): number {
  return what === 'kill' ? Number.POSITIVE_INFINITY : until;
}

/** For how long the process of a client stood still in a span. */
export function stalledMs(history: History, client: number, span: Span): number {
  const stalls = history.faults.filter(
    (fault) => fault.what === 'stall' && fault.client === client,
  );
  const rest = stalls.length === 0 ? [span] : without(span, stalls);
  const ran = rest.reduce((sum, { from, until }) => sum + until - from, 0);
  return stalls.length === 0 ? 0 : span.until - span.from - ran;
}

/** How somebody is named in a violation. */
export function nameOf({ owner, client, mode }: Pick<Claim, 'owner' | 'client' | 'mode'>): string {
  return `${owner} (client ${client}${mode === 'shared' ? ', shared' : ''})`;
}

export function at(ms: number): string {
  return Number.isFinite(ms) ? `${Number(ms.toFixed(3))} ms` : 'for ever';
}
