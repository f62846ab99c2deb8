// When a semaphore may have had fewer permits left than somebody needs.

import type { Operation } from '../history.js';
import type { Happenings } from './happenings.js';
import { ghostSpans, type EndOf } from './server-holds.js';
import type { Span } from './spans.js';

interface Change {
  readonly at: number;
  readonly by: number;
}

/** The times in which it may have been short for a waiter; undefined where its number is not known. */
export function shortages(
  happenings: Happenings,
  waiter: Operation,
  need: number,
  endOfHold: EndOf,
): Span[] | undefined {
  const { operations, losses } = happenings;
  const sets = operations.filter(({ action, outcome }) => action === 'set' && outcome !== 'no');
  const set = sets.at(0);
  const isPlain =
    sets.length === 1 &&
    set?.outcome === 'ok' &&
    losses.length === 0 &&
    !operations.some(
      ({ action, outcome }) =>
        action === 'delete' || ((action === 'drain' || action === 'set') && outcome === 'unknown'),
    );
  if (!isPlain) {
    return undefined;
  }
  const changes = [...resizes(happenings), ...uses(happenings, waiter, endOfHold)].toSorted(
    (a, b) => a.at - b.at,
  );
  const spans: Span[] = [{ from: Number.NEGATIVE_INFINITY, until: set.returnedAt }];
  let left = set.amount;
  let from = set.returnedAt;
  for (const { at, by } of changes) {
    if (left < need && at > from) {
      spans.push({ from, until: at });
    }
    left += by;
    from = Math.max(from, at);
  }
  return left < need ? [...spans, { from, until: Number.POSITIVE_INFINITY }] : spans;
}

/** What adds counts when it is done for certain, what takes away when it may have been. */
function resizes({ operations, kind }: Happenings): Change[] {
  const owners = new Set(
    operations.flatMap(({ action, owner }) => (action === 'acquire' ? [owner] : [])),
  );
  return operations.flatMap(({ action, owner, outcome, amount, answer, ...call }): Change[] => {
    const isForeign = action === 'release' && kind === 'semaphore' && !owners.has(owner);
    if (outcome === 'failed' || !(action === 'add' || action === 'drain' || isForeign)) {
      return [];
    }
    const by = action === 'drain' ? -Number(answer ?? 0) : amount;
    if (by < 0) {
      return [{ at: call.calledAt, by }];
    }
    return outcome === 'ok' ? [{ at: call.returnedAt, by }] : [];
  });
}

function uses(happenings: Happenings, waiter: Operation, endOfHold: EndOf): Change[] {
  const { claims, kind, operations } = happenings;
  const held = claims.flatMap((claim): Change[] => {
    const end =
      kind === 'expirable' ? endOfHold(happenings, claim) : givenBackAt(operations, claim.owner);
    return span({ from: claim.from, until: end }, claim.permits);
  });
  const unseen = happenings.ghosts
    .filter(({ operation }) => operation !== waiter)
    .flatMap((ghost) =>
      ghostSpans(happenings, ghost).flatMap((one) => span(one, ghost.operation.amount)),
    );
  return [...held, ...unseen];
}

function span({ from, until }: Span, permits: number): Change[] {
  return [
    { at: from, by: -permits },
    { at: until, by: permits },
  ];
}

function givenBackAt(operations: readonly Operation[], owner: string): number {
  const release = operations.find(
    ({ action, outcome, owner: whose }) =>
      action === 'release' && outcome === 'ok' && whose === owner,
  );
  return release?.returnedAt ?? Number.POSITIVE_INFINITY;
}
