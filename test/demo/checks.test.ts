// Each rule that the demo checks finds its own violation.

import { expect, test } from 'vitest';
import { killed } from '../../demo/checks/accidents.mjs';
import {
  checkLatches,
  finishLines,
  neverTooMany,
  noTrouble,
} from '../../demo/checks/every-act.mjs';
import type { Finding } from '../../demo/checks/finding.mjs';
import {
  allPermitsBack,
  countedInside,
  cutOff,
  gateFilled,
  goneByItself,
} from '../../demo/checks/gate.mjs';
import { neverTorn } from '../../demo/checks/guarded.mjs';
import { lostWaiters, servedInOrder } from '../../demo/checks/order.mjs';
import { runsAreBounded } from '../../demo/checks/runs.mjs';
import {
  downgraded,
  nobodyPassesWriters,
  readersOverlap,
  writersAlone,
  writersGetIn,
} from '../../demo/checks/sharing.mjs';
import { turnsOf, type DemoEvent } from '../../demo/events.mjs';
import { event, killedAt, LEASE_MS, record, turn } from './record.js';

const ok = (found: readonly Finding[]): boolean[] => found.map((finding) => finding.ok);

const reader = { mode: 'read' } as const;
const writer = { mode: 'write' } as const;

/** Twenty-four tickets, all seen in line, served one after the other. */
function tickets(order: (ticket: number) => number): boolean {
  const holders = Array.from({ length: 24 }, (_, i) => `ticket ${i}`);
  const events = holders.flatMap((holderId, i) => {
    const held = 100 + 10 * order(i);
    return turn(i + 1, [0, held, held + 5], { holderId });
  });
  return servedInOrder(record('fair-lock', events, [[50, holders]])).ok;
}

const swapped = (i: number): number => (i === 10 ? 11 : i === 11 ? 10 : i);

test('tickets served in the order of the queue pass, two that changed places do not', () => {
  expect([tickets((i) => i), tickets(swapped)]).toEqual([true, false]);
});

/** Worker 1 holds while 2, 3, 4 and 5 wait; 2 is killed, 4 is frozen; 3 and 5 are served. */
function lostInLine({ servedAt, back = true }: { servedAt: number; back?: boolean }): boolean[] {
  const ids = [1, 2, 3, 4, 5].map((worker) =>
    event(0, worker, 'ready', { clientId: `c${worker}` }),
  );
  const events = [
    ...ids,
    ...turn(1, [5, 10, 30]),
    event(11, 2, 'asked'),
    event(20, 2, 'killed'),
    event(13, 4, 'asked'),
    event(20, 4, 'paused'),
    ...turn(3, [12, servedAt, servedAt + 10]),
    ...turn(5, [14, servedAt + 10, servedAt + 20]),
    event(servedAt + 30, 4, 'continued'),
    ...(back
      ? [event(servedAt + 40, 4, 'held'), event(servedAt + 50, 4, 'released', { isHeld: true })]
      : []),
  ];
  return ok(lostWaiters(record('fair-lock', events, [[15, ['c2:1', 'c3:1', 'c4:1', 'c5:1']]])));
}

test('the dead and the frozen in a queue may cost five seconds, and not six', () => {
  expect(lostInLine({ servedAt: 4_000 })).toEqual([true, true, true]);
  expect(lostInLine({ servedAt: 6_000 })).toEqual([true, false, true]);
});

test('a frozen waiter that is never served again is found out', () => {
  expect(lostInLine({ servedAt: 4_000, back: false })).toEqual([true, true, false]);
});

test('a writer beside a reader or another writer is found out', () => {
  const alone = [...turn(1, [0, 10, 20], writer), ...turn(2, [0, 20, 30], reader)];
  const besideReader = [...turn(1, [0, 10, 20], writer), ...turn(2, [0, 15, 30], reader)];
  const besideWriter = [...turn(1, [0, 10, 20], writer), ...turn(2, [0, 15, 30], writer)];

  const found = [alone, besideReader, besideWriter].map((events) => writersAlone(turnsOf(events)));

  expect(ok(found)).toEqual([true, false, false]);
});

test('a writer that came in while the lease of a dead reader ran is found out', () => {
  const dead = killedAt(100, 1, [0, 10]);
  const early = writersAlone(turnsOf([...dead, ...turn(2, [50, 900, 910], writer)]));
  const late = writersAlone(turnsOf([...dead, ...turn(2, [50, 1_100, 1_110], writer)]));

  expect(ok([late, early])).toEqual([true, false]);
});

test('readers that only ever read one after the other are found out', () => {
  const together = [...turn(1, [0, 10, 20], reader), ...turn(2, [0, 15, 30], reader)];
  const apart = [...turn(1, [0, 10, 20], reader), ...turn(2, [0, 20, 30], reader)];

  const found = [together, apart].map((events) => readersOverlap(turnsOf(events), 2));

  expect(ok(found)).toEqual([true, false]);
});

test('a record that was read half written is found out', () => {
  const whole = event(1, 1, 'read', { torn: false });
  const torn = event(2, 1, 'read', { torn: true });

  expect(ok([neverTorn([whole]), neverTorn([whole, torn])])).toEqual([true, false]);
});

test('a reader that passed a writer which stood in line before it asked is found out', () => {
  const write = turn(1, [0, 50, 60], { ...writer, holderId: 'w' });
  const passage = (times: readonly [number, number, number]): boolean =>
    nobodyPassesWriters(
      record('read-write-lock', [...write, ...turn(2, times, reader)], [[10, ['w']]]),
    ).ok;

  expect([passage([20, 60, 70]), passage([20, 30, 40])]).toEqual([true, false]);
});

test('a writer that waited too long, or for ever, is found out', () => {
  const soon = turn(1, [0, 50, 60], writer);
  const late = turn(1, [0, LEASE_MS + 1_100, LEASE_MS + 1_200], writer);
  const never = [...soon, event(0, 2, 'asked', writer)];

  const found = [soon, late, never].map((events) => writersGetIn(turnsOf(events), LEASE_MS));

  expect(ok(found)).toEqual([true, false, false]);
});

/** A writer reads on from 50 to 200; of two readers that wait, one gets in at `held`. */
const downgrade = (held: number): boolean =>
  downgraded(
    record('read-write-lock', [
      event(0, 1, 'asked', writer),
      event(10, 1, 'held', writer),
      event(50, 1, 'downgraded'),
      event(200, 1, 'released', { isHeld: true }),
      ...turn(2, [20, 60, 90], reader),
      ...turn(3, [20, held, held + 10], reader),
    ]),
  ).ok;

test('a reader that a downgrade did not let in is found out', () => {
  expect([downgrade(60), downgrade(210)]).toEqual([true, false]);
});

test('a fourth worker inside a gate of three is found out', () => {
  const three = [1, 2, 3].flatMap((worker) => turn(worker, [0, 10 + worker, 30]));
  const four = [...three, ...turn(4, [0, 20, 40])];

  const found = [three, four].map((events) => neverTooMany(turnsOf(events), 3));

  expect(ok(found)).toEqual([true, false]);
});

const counted = (counts: readonly number[]): DemoEvent[] =>
  counts.map((count) => event(count, count, 'inside', { count }));

test('a gate that never was full is found out', () => {
  const two = [1, 2].flatMap((worker) => turn(worker, [0, 10 + worker, 30]));
  const three = [...two, ...turn(3, [0, 20, 40])];

  expect(ok([gateFilled(turnsOf(three), 3), gateFilled(turnsOf(two), 3)])).toEqual([true, false]);
  expect(
    ok([
      countedInside(counted([1, 2, 3]), 3),
      countedInside(counted([1, 2]), 3),
      countedInside(counted([1, 2, 3, 4]), 3),
    ]),
  ).toEqual([true, false, false]);
});

test('a permit that was lost or made is found out', () => {
  const found = [3, 2, 4].map((available) => allPermitsBack(available, 3));

  expect(ok(found)).toEqual([true, false, false]);
});

test('a worker that never got in again after its connections were cut is found out', () => {
  const cut = [event(20, 1, 'cut'), ...turn(1, [10, 50, 60])];
  const lost = [event(20, 1, 'cut'), event(10, 1, 'asked')];

  const found = [cut, lost].map((events) => cutOff(record('semaphore', events)));

  expect(ok(found)).toEqual([true, false]);
});

/** Worker 1 is killed with one of two permits at 100; worker 3 is the next to work beside 2. */
const permitBackAt = (ms: number): boolean[] =>
  ok(
    killed(
      record('permit-expirable-semaphore', [
        ...killedAt(100, 1, [0, 10]),
        ...turn(2, [0, 20, ms + 50]),
        ...turn(3, [0, ms, ms + 20]),
      ]),
    ),
  );

test('a permit of the dead that came back before its lease was over, or long after, is found out', () => {
  expect(permitBackAt(1_100)).toEqual([true, true]);
  expect(permitBackAt(900)).toEqual([true, false]);
  expect(permitBackAt(2_000)).toEqual([true, false]);
});

test('a permit in use beside that of the dead is one too many while its lease runs', () => {
  const events = [...killedAt(100, 1, [0, 10]), ...turn(2, [0, 20]), ...turn(3, [0, 900, 920])];
  const held = [...events, event(1_000, 2, 'released', { isHeld: true })];

  expect(neverTooMany(turnsOf(held), 2).ok).toBe(false);
});

test('a permit of the dead that somebody had to give back is found out', () => {
  expect(ok([goneByItself(false), goneByItself(true)])).toEqual([true, false]);
});

test('an error behind the calls is trouble, unless the connections had been cut', () => {
  const error = event(10, 1, 'background', { message: 'the connection was closed' });

  expect(ok([noTrouble([event(5, 1, 'cut'), error]), noTrouble([error])])).toEqual([true, false]);
});

test('a worker that passed a latch too early, or not at all, is found out', () => {
  const passed = { passed: 4, expected: 4, early: 0 };

  const found = [
    [passed, passed],
    [passed, { ...passed, early: 1 }],
    [passed, { ...passed, passed: 3 }],
  ].map(finishLines);

  expect(ok(found)).toEqual([true, false, false]);
  expect(ok(checkLatches([]))).toEqual([false, false]);
});

/** Thirty runs of some turns each, the last of which may be late. */
function runs({ worker = (place: number) => 1 + (place % 4), turns = 5, lateMs = 0 }): boolean {
  const places = Array.from({ length: turns }, (_, place) => place);
  const events = Array.from({ length: 30 }, (_, run) => run).flatMap((run) =>
    places.flatMap((place) => {
      const held = run * 1_000 + 3 * place + (place === turns - 1 ? lateMs : 0);
      return turn(worker(place), [held - 1, held, held + 1], { holderId: `run ${run}` });
    }),
  );
  return runsAreBounded(record('local-runs', events)).ok;
}

test('a run of one process passes, one that is too long, too late, or of two processes does not', () => {
  expect(runs({})).toBe(true);
  expect(runs({ turns: 65 })).toBe(false);
  expect(runs({ lateMs: 300 })).toBe(false);
  expect(runs({ worker: (place) => 3 + place })).toBe(false);
  expect(runs({ turns: 1 })).toBe(false);
});
