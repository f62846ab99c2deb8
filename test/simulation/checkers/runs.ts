// A client that passes a lock on among its own users does so for a bounded time: a shorter one while others
// wait.

import type { Claim, History, Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import type { Checker } from './property.js';
import { operationsOf } from './property.js';
import { at, groupBy, isDisturbed, nameOf } from './spans.js';

/** What the SDK promises (`core/locks/run.ts`): so many holds, the last of them granted so long after the
 * first one. */
const WHILE_OTHERS_WAIT = { holds: 64, ms: 6 };
const AT_MOST = { holds: 256, ms: 10 };
/** Of the clock by which the client counts. */
const GRAIN_MS = 0.1;

export const checkRuns: Checker = (scope) => {
  const { history, bounds, property, kinds } = scope;
  const waits = operationsOf(scope).filter(
    ({ action, waits: isWait }) => action === 'acquire' && isWait,
  );
  const runs = runsOf(history.claims.filter(({ kind }) => kinds.has(kind)));
  const violations = runs.flatMap((run): Violation[] => {
    const [first, last] = [run[0]!, run.at(-1)!];
    const tell = (text: string): Violation[] => [
      {
        property,
        object: first.object,
        at: last.from,
        text: `${say(first, last, run.length)} ${text}`,
      },
    ];
    if (exceeds(run, AT_MOST, first.from, bounds)) {
      return tell('went on');
    }
    const waiter = waits.find((wait) => isKept(history, bounds, wait, run));
    return waiter === undefined
      ? []
      : tell(`kept out ${nameOf(waiter)}, which waited from ${at(waiter.calledAt)}`);
  });
  return { checked: runs.length, violations };
};

/** Holds of several owners on one lease, in their order. */
export function runsOf(claims: readonly Claim[]): Claim[][] {
  const own = claims.filter(({ holderId, mode }) => holderId !== undefined && mode === 'exclusive');
  return [...groupBy(own, ({ object, holderId }) => `${object} ${holderId}`).values()]
    .map((run) => {
      const firsts = [...groupBy(run, ({ owner }) => owner).values()].map(([first]) => first!);
      return firsts.toSorted((one, other) => one.from - other.from);
    })
    .filter((run) => run.length > 1);
}

function exceeds(
  run: readonly Claim[],
  most: typeof AT_MOST,
  since: number,
  { drift }: Bounds,
): boolean {
  return run.length > most.holds || run.at(-1)!.from > since + most.ms * (1 + drift) + GRAIN_MS;
}

/** Somebody of another client, of which the holder was told, waited all the time. In other worlds than a
 * crowd some stand in no line. */
function isKept(history: History, bounds: Bounds, wait: Operation, run: readonly Claim[]): boolean {
  const [first, last] = [run[0]!, run.at(-1)!];
  const toldAt = wait.calledAt + bounds.toldMs;
  const span = { from: wait.calledAt, until: last.from };
  if (
    !history.isCrowd ||
    wait.client === first.client ||
    wait.returnedAt <= last.from ||
    toldAt > last.from ||
    isDisturbed(history, wait.client, span, bounds.recoveryMs) ||
    isDisturbed(history, first.client, span, bounds.recoveryMs)
  ) {
    return false;
  }
  if (toldAt <= first.from) {
    return exceeds(run, WHILE_OTHERS_WAIT, first.from, bounds);
  }
  // The rest of the run after the message.
  return last.from > Math.max(toldAt, first.from + WHILE_OTHERS_WAIT.ms) + GRAIN_MS;
}

const say = (first: Claim, last: Claim, holds: number): string =>
  `a run of client ${first.client} with ${holds} holds, granted from ${at(first.from)} to ${at(last.from)},`;
