// When waits are told of that last, with a clock that the tests drive.

import { beforeEach, expect, test } from 'vitest';
import { Events, type ClientEvents } from '../../src/core/observe/events.js';
import {
  defaultStallMs,
  SlowWaits,
  type Waited,
  type WaitSpan,
} from '../../src/core/observe/slow-wait.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

const HOLDER = { holderId: 'somebody', depth: 1, remainingMs: 5 };

let clock: FakeClock;
let events: Events;
let stalls: SlowWaits;
let looks: number;
let failures: Error[];

beforeEach(() => {
  clock = fakeClock();
  events = new Events();
  failures = [];
  looks = 0;
  stalls = new SlowWaits(clock, events, { afterMs: 10_000, clientId: 'me' }, (error) =>
    failures.push(error),
  );
});

const waited: Waited = {
  id: 'lock:it',
  resource: 'it',
  kind: 'lock',
  findHolders: () => {
    looks += 1;
    return Promise.resolve([HOLDER]);
  },
};

/** The span of a wait that has a limit and begins now: what is told of one without is in wait-warnings.test. */
const now = (): WaitSpan => ({ startedAt: clock.now(), endsAt: Number.MAX_VALUE });

type Told = Parameters<ClientEvents['stalled']>[0];

/** What is told from now on. */
function listen(): Told[] {
  const told: Told[] = [];
  events.on('stalled', (event) => told.push(event));
  return told;
}

/** Lets time pass, and looks be answered. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await Promise.resolve();
}

test('a wait is told at a span, at two, at four and at eight, until it ends', async () => {
  const told = listen();
  const stop = stalls.watch(waited, now());

  await pass(9_999);
  const before = told.length;
  await pass(1);
  await pass(90_000);
  stop();
  await pass(200_000);

  const event = { resource: 'it', kind: 'lock', holders: [HOLDER], waiters: 1 };
  expect(before).toBe(0);
  expect(told).toEqual([
    { ...event, waitedMs: 10_000 },
    { ...event, waitedMs: 20_000 },
    { ...event, waitedMs: 40_000 },
    { ...event, waitedMs: 80_000 },
  ]);
  expect(clock.pending).toBe(0);
});

test('the span is a third of the lease by default, but not less than three seconds', () => {
  expect([100, 9_000, 9_001, 30_000, 2_147_483_647].map(defaultStallMs)).toEqual([
    3_000, 3_000, 3_000, 10_000, 715_827_882,
  ]);
});

test('the event counts those who wait for the object in this client, also those not due', async () => {
  const told = listen();
  const stop = stalls.watch(waited, now());
  await pass(8_000);
  const stopSecond = stalls.watch(waited, now());
  stalls.watch({ ...waited, id: 'lock:other', resource: 'other' }, now());

  await pass(2_000);
  stopSecond();
  await pass(10_000);
  stop();

  const mine = told.filter(({ resource }) => resource === 'it');
  expect(mine.map(({ waitedMs, waiters }) => [waitedMs, waiters])).toEqual([
    [10_000, 2],
    [20_000, 1],
  ]);
});

test('the longest span never comes to an end early', async () => {
  stalls = new SlowWaits(
    clock,
    events,
    { afterMs: 2_147_483_647, clientId: 'me' },
    () => undefined,
  );
  const told = listen();
  const stop = stalls.watch(waited, now());

  await pass(2_147_483_646);
  const before = told.length;
  await pass(1);
  await pass(2_147_483_647);
  stop();

  expect(before).toBe(0);
  expect(told.map(({ waitedMs }) => waitedMs)).toEqual([2_147_483_647, 4_294_967_294]);
});

test('a thousand waits cost one timer and one look a span, and each is told its own time', async () => {
  const told = listen();
  for (let i = 0; i < 1_000; i += 1) {
    stalls.watch(waited, now());
    clock.advance(0.5);
  }
  expect(clock.pending).toBe(1);

  await pass(10_000);
  const first = told.map(({ waitedMs }) => waitedMs);
  await pass(10_000);

  expect(looks).toBe(2);
  expect(told).toHaveLength(2_000);
  expect(new Set(told.map(({ waiters }) => waiters))).toEqual(new Set([1_000]));
  expect([Math.min(...first), Math.max(...first)]).toEqual([10_000, 10_500]);
  expect(new Set(first).size).toBeGreaterThan(400);
});

test('waits that begin all the time are told within a tenth of a span, with ten looks a span', async () => {
  const told = listen();
  for (let i = 0; i < 1_000; i += 1) {
    stalls.watch(waited, now());
    await pass(10);
  }

  await pass(11_000);

  const first = told.filter(({ waitedMs }) => waitedMs < 20_000);
  expect(first).toHaveLength(1_000);
  expect(Math.max(...first.map(({ waitedMs }) => waitedMs))).toBeLessThanOrEqual(11_000);
  expect(looks).toBeLessThanOrEqual(12);
});

test('waits for different objects are told apart', async () => {
  const told = listen();
  stalls.watch(waited, now());
  stalls.watch({ ...waited, id: 'lock:other', resource: 'other' }, now());

  await pass(10_000);

  expect(told.map(({ resource }) => resource)).toEqual(['it', 'other']);
});

test('nobody looks while nobody listens, and who listens later is told with the next span', async () => {
  stalls.watch(waited, now());
  await pass(10_000);
  const unheard = looks;

  const told = listen();
  await pass(10_000);

  expect([unheard, looks]).toEqual([0, 1]);
  expect(told.map(({ waitedMs }) => waitedMs)).toEqual([20_000]);
});

test('a wait that ended while its holders were looked up is not told', async () => {
  const told = listen();
  const stop = stalls.watch(waited, now());
  stalls.watch(waited, now());

  clock.advance(10_000);
  stop();
  await pass(0);

  expect(told).toHaveLength(1);
});

test('after a long pause of the process a wait is told once', async () => {
  const told = listen();
  stalls.watch(waited, now());

  clock.freeze(35_000);
  await pass(0);
  await pass(5_000);

  expect(told.map(({ waitedMs }) => waitedMs)).toEqual([35_000, 40_000]);
});

test('a look that fails is told as an error, once for all who wait', async () => {
  const told = listen();
  const failing = { ...waited, findHolders: () => Promise.reject(new Error('no answer')) };
  stalls.watch(failing, now());
  stalls.watch(failing, now());

  await pass(10_000);
  await pass(0);

  expect(failures.map(({ message }) => message)).toEqual(['no answer']);
  expect(told).toEqual([]);
});

test('a wait that the listener of another one has ended is not told', async () => {
  const told = listen();
  const stops = [1, 2, 3].map(() => stalls.watch(waited, now()));
  events.once('stalled', () => stops.slice(1).forEach((stop) => stop()));

  await pass(10_000);
  await pass(0);

  expect(told).toHaveLength(1);
});
