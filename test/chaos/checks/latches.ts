// A wait for a latch ends when the count was zero, and not before.

import { LATE_COPY_MS } from '../history.js';
import type { Call, Disturbance, History } from '../history.js';
import { groupBy } from '../intervals.js';

/** A wait for a latch, and what it answered. */
export interface LatchWait {
  readonly name: string;
  readonly actor: string;
  readonly from: number;
  readonly until: number;
  readonly reached: boolean;
  readonly waitMs: number | undefined;
}

/** By how much the clock of the server may differ from ours in the life of a latch. */
const CLOCKS_MS = 2;

const mayHaveRun = ({ outcome }: Call): boolean => outcome !== 'not done' && outcome !== 'no';

/** True when the count was above zero for the whole of a span, whatever ran of what is unknown. */
function isClosedAll(
  calls: readonly Call[],
  flushes: readonly Disturbance[],
  from: number,
  until: number,
): boolean {
  const set = calls.findLast(
    (call) =>
      call.what === 'trySetCount' && call.outcome === 'done' && (call.until ?? Infinity) < from,
  );
  // It may have gone by itself.
  if (set === undefined || until > set.from + set.lifeMs - CLOCKS_MS) {
    return false;
  }
  // A flush forgets which calls have run: a late copy of one runs again.
  const mayRunAgain = (call: Call): boolean =>
    flushes.some((flush) => call.from < flush.until && set.from < flush.until + LATE_COPY_MS);
  // A call of unknown outcome may run a little later than it was given up.
  const since = calls.filter(
    (call) =>
      call.from < until &&
      mayHaveRun(call) &&
      (call.outcome === 'unknown' || (call.until ?? Infinity) > set.from || mayRunAgain(call)),
  );
  if (since.some(({ what }) => what === 'delete')) {
    return false;
  }
  const downs = since.filter(({ what }) => what === 'countDown');
  return set.delta > downs.length;
}

/** True when no count was set in the whole of a span. */
function isAbsentAll(
  calls: readonly Call[],
  flushes: readonly Disturbance[],
  from: number,
  until: number,
): boolean {
  const sets = calls.filter(
    (call) => call.what === 'trySetCount' && mayHaveRun(call) && call.from < until,
  );
  const gone = calls.findLast(
    (call) => call.what === 'delete' && call.outcome === 'done' && (call.until ?? Infinity) < from,
  );
  if (gone === undefined) {
    return sets.length === 0;
  }
  // A flush forgets which calls have run: a late copy of a set runs again, behind the deletion.
  const mayRunAgain = (call: Call): boolean =>
    flushes.some((flush) => call.from < flush.until && gone.from < flush.until + LATE_COPY_MS);
  const isBefore = (call: Call): boolean =>
    call.outcome === 'done' && (call.until ?? Infinity) < gone.from && !mayRunAgain(call);
  return sets.every(isBefore);
}

export function checkLatchWaits(history: History, waits: readonly LatchWait[]): void {
  const property = 'a wait ends with the zero';
  const calls = groupBy(history.calls, ({ name }) => name);
  const flushes = history.disturbances.filter(({ what }) => what === 'flush');
  for (const { name, actor, from, until, reached, waitMs } of waits) {
    const own = calls.get(name) ?? [];
    if (reached && isClosedAll(own, flushes, from, until)) {
      history.violated(property, name, `${actor} was let go, and the count was above zero`, until);
    }
    if (!reached && (waitMs === undefined || until - from < waitMs - 2)) {
      const text = `${actor} was told false after ${(until - from).toFixed(0)} ms`;
      history.violated(property, name, text, until);
    }
    if (!reached && isAbsentAll(own, flushes, from, until)) {
      history.violated(property, name, `${actor} was told false, and no count was set`, until);
    }
  }
}
