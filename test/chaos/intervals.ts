// Spans of time, and in which of them a claim has to be true.

import type { Claim, Disturbance, History } from './history.js';

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What is left of a span without another. */
function without(span: Span, cut: Span): Span[] {
  if (cut.until < span.from || cut.from > span.until) {
    return [span];
  }
  return [
    ...(span.from < cut.from ? [{ from: span.from, until: cut.from }] : []),
    ...(span.until > cut.until ? [{ from: cut.until, until: span.until }] : []),
  ];
}

/**
 * For how long a disturbance may leave a claim true that the server does not know any more: its own
 * client tells it with the answer of the call, any other with its next renewal, which at the latest
 * is missed when the lease has run out.
 */
function excusedBy(claim: Claim, leaseMs: number, cause: Disturbance): Span | undefined {
  const concerns =
    (cause.name === undefined || cause.name === claim.name) &&
    (cause.permit === undefined || cause.permit === claim.holderId) &&
    claim.askedAt < cause.until;
  if (!concerns) {
    return undefined;
  }
  const isOwn = cause.client === claim.client;
  return { from: cause.from, until: cause.until + (isOwn ? 0 : leaseMs) };
}

/** The spans in which a claim was told held, and nothing excuses that somebody else is too. */
export function spansOf(claim: Claim, history: History): Span[] {
  if (claim.first === undefined || claim.last === undefined) {
    return [];
  }
  const leaseMs = history.leases.get(claim.root) ?? 0;
  let spans: Span[] = [{ from: claim.first, until: claim.last }];
  for (const cause of history.disturbances) {
    const excused = excusedBy(claim, leaseMs, cause);
    if (excused !== undefined) {
      spans = spans.flatMap((span) => without(span, excused));
    }
  }
  return spans;
}

/** Where two spans meet; undefined when they do not. */
export function meeting(one: Span, other: Span): Span | undefined {
  const from = Math.max(one.from, other.from);
  const until = Math.min(one.until, other.until);
  return from <= until ? { from, until } : undefined;
}

/** Items by what they have in common. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) {
      groups.set(keyOf(item), [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}
