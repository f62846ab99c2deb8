// Never more permits are told held, or handed out, than were set.

import type { Handle, History } from '../history.js';
import { groupBy, spansOf } from '../intervals.js';
import { Count } from './counts.js';

/** What is in use from one instant to another. */
interface Use {
  readonly from: number;
  readonly until: number;
  readonly count: number;
  /** When it was asked for: since then the number was as high at least once. */
  readonly since: number;
}

function checkUses(history: History, name: string, uses: readonly Use[], count: Count): void {
  const sorted = uses.toSorted((a, b) => a.from - b.from);
  let alive: Use[] = [];
  for (const use of sorted) {
    alive = [...alive.filter(({ until }) => until >= use.from), use];
    const taken = alive.reduce((sum, one) => sum + one.count, 0);
    const since = Math.min(...alive.map((one) => one.since));
    const most = count.mostIn(since, use.from);
    if (taken > most) {
      const text = `${taken} permits in use, and there were never more than ${most}`;
      history.violated('never more permits than there are', name, text, use.from);
      return;
    }
  }
}

/** Permits on a lease: those that are told held. */
export function checkPermits(history: History, initial: ReadonlyMap<string, number>): void {
  const permits = history.claims.filter(({ kind }) => kind === 'permit');
  for (const [name, claims] of groupBy(permits, (claim) => claim.name)) {
    const uses = claims.flatMap((claim) =>
      spansOf(claim, history).map((span) => ({ ...span, count: 1, since: claim.askedAt })),
    );
    checkUses(history, name, uses, countOf(history, name, initial));
  }
}

/** A failover may have lost the grant: until its release is called there is no permit for it. */
function mayBeLost({ name, askedAt, grantedAt }: Handle, { disturbances }: History): boolean {
  return disturbances.some(
    (cause) =>
      cause.what === 'failover' &&
      cause.name === name &&
      askedAt < cause.until &&
      grantedAt > cause.from,
  );
}

/** Permits without an owner: from the grant until their release is called. */
export function checkHandles(history: History, initial: ReadonlyMap<string, number>): void {
  const known = history.handles.filter((handle) => !mayBeLost(handle, history));
  for (const [name, handles] of groupBy(known, (handle) => handle.name)) {
    const uses = handles.map((handle: Handle) => ({
      from: handle.grantedAt,
      until: handle.releasedAt ?? Number.POSITIVE_INFINITY,
      count: handle.count,
      since: handle.askedAt,
    }));
    checkUses(history, name, uses, countOf(history, name, initial));
  }
}

export function countOf(
  history: History,
  name: string,
  initial: ReadonlyMap<string, number>,
): Count {
  const changes = history.calls.filter((call) => call.name === name && call.delta !== 0);
  return new Count(initial.get(name) ?? 0, changes);
}
