// What the demo says of records that are wrong: acts that were never played. Times are milliseconds.

import { expect, test } from 'vitest';
import { acts, findAct, type Act } from '../../demo/acts/index.mjs';
import { latchCall, type Call, type DemoEvent } from '../../demo/events.mjs';
import { historyOf } from '../../demo/history.mjs';
import { judged } from '../../demo/judge.mjs';
import { Store } from '../../demo/store.mjs';

type Given = Partial<Omit<DemoEvent, 'at' | 'worker' | 'type'>>;

const LEASE_MS = 1_000;

const event = (at: number, worker: number, type: string, given: Given = {}): DemoEvent => ({
  at,
  worker,
  type,
  turn: 1,
  ...given,
});

/** A worker asks, is granted, and releases. */
const turn = (
  worker: number,
  [asked, held, released]: readonly [number, number, number],
  given: Given = {},
): DemoEvent[] => [
  event(asked, worker, 'asked', given),
  event(held, worker, 'held', { ...given, deadline: held + LEASE_MS }),
  event(released, worker, 'released', { ...given, isHeld: true }),
  event(released + 1, worker, 'done', given),
];

/** A worker that holds when it is killed at 100: its lease runs on until 1,090. */
const killed = [
  ...turn(1, [0, 10, 9_000]).slice(0, 2),
  event(90, 1, 'at-mercy', { deadline: 90 + LEASE_MS }),
  event(100, 1, 'killed'),
];

const NOTHING_ELSE: Pick<Act, 'least' | 'shown'> = { least: {}, shown: () => [] };

/** What the judgement says is wrong; `but` leaves out what else an act must show. */
async function wrongs(
  id: string,
  events: readonly DemoEvent[],
  { store = new Store({ checksTokens: false }), but = NOTHING_ELSE } = {},
): Promise<string> {
  const act = { ...findAct(id), ...but };
  const history = historyOf({ act, events, store, leaseMs: LEASE_MS, endedAt: 10_000 });
  const scene = {
    act,
    events: [...events],
    leaseMs: LEASE_MS,
    gunAt: 0,
    workers: [],
    nameOf: String,
  };
  const { findings } = await judged({ ...scene, history });
  return findings.flatMap(({ ok, said }) => (ok ? [] : said)).join('\n');
}

const call = (from: number, given: Omit<Call, 'from' | 'answer'>): DemoEvent =>
  event(from + 1, 0, 'call', { call: { ...given, from, answer: undefined } });

const READ = { mode: 'shared' } as const;
const permits = call(1, { object: 'shared', kind: 'semaphore', action: 'set', amount: 3 });
const insiders = [1, 2, 3, 4].flatMap((worker) => turn(worker, [5, 10 + worker, 30]));
const gun = [call(1, latchCall('gun', 'set')), call(30, latchCall('gun', 'count down'))];
const tickets = [...turn(1, [0, 40, 50]), ...turn(2, [1, 22, 30])];
const background = event(9, 1, 'background', { message: 'x' });

test('a record is right but for what it does not show', async () => {
  const next = (at: number): DemoEvent[] => [...killed, ...turn(2, [50, at, at + 9])];
  const shared = [...turn(1, [0, 10, 20], READ), ...turn(2, [0, 15, 19], READ)];

  expect(await wrongs('lock', [...next(1_100), ...gun, call(31, latchCall('gun', 'wait'))])).toBe(
    '',
  );
  expect(await wrongs('lock', next(1_700))).toMatch(
    /^the others went on 1600 ms .*, and had 1500 ms$/,
  );
  expect(await wrongs('read-write-lock', shared)).toMatch(/^the next writer got in NaN ms .*$/);
});

test.each([
  ['one holder at an instant', 'lock', [...turn(1, [0, 10, 20]), ...turn(2, [0, 15, 30])]],
  ['one holder at an instant', 'lock', [...killed, ...turn(2, [50, 900, 910])]],
  [
    'one writer, or readers',
    'read-write-lock',
    [...turn(1, [0, 10, 20], READ), ...turn(2, [0, 15, 20])],
  ],
  ['first come, first served', 'fair-lock', tickets],
  ['never more permits than there are', 'semaphore', [permits, ...insiders]],
  ['calls have an order', 'lock', [...gun, call(20, latchCall('gun', 'wait'))]],
  ['no error where none belongs', 'lock', [background]],
])('%s: an act of the %s', async (said, act, events) => {
  expect(await wrongs(act, events)).toContain(`${said}: violated`);
});

test('a write that was overwritten, and one with an old token that was taken, are found out', async () => {
  const store = new Store({ checksTokens: false });
  for (const token of [2n, 1n]) {
    store.serve(1, { id: 1, write: { token, read: 0, readAt: 1, turn: 1 } });
  }
  const events = turn(1, [0, 10, 20]);

  expect(await wrongs('lock', events, { store })).toContain('1 of 2 writes were overwritten');
  expect(await wrongs('fenced-lock', events, { store })).toContain('was taken after');
});

test.each(acts)('the act $id in which nothing happened is found out', async (act) => {
  const said = await wrongs(act.id, [], { but: act });

  expect(said).toContain('too little happened: contended: 0');
  expect(said.split('\n').length).toBeGreaterThan(act.shown.length + 1);
});
