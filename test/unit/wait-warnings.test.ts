// What a warning says of a wait without a limit that lasts while nobody listens to `stalled`.

import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Events, type Holder } from '../../src/core/observe/events.js';
import { SlowWaits, type Waited, type WaitSpan } from '../../src/core/observe/slow-wait.js';
import type { HoldInScope, Surroundings } from '../../src/core/observe/wait-circle.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

interface Warning extends Error {
  readonly code?: string;
}

let clock: FakeClock;
let events: Events;
let stalls: SlowWaits;
let failures: Error[];
let warnings: Warning[];
const listen = (warning: Warning): void => void warnings.push(warning);

beforeEach(() => {
  clock = fakeClock();
  events = new Events();
  failures = [];
  warnings = [];
  const terms = { afterMs: 10_000, clientId: 'me' };
  stalls = new SlowWaits(clock, events, terms, (error) => failures.push(error));
  process.on('warning', listen);
});

afterEach(() => {
  process.off('warning', listen);
});

/** Begins now, without a limit. */
const now = (): WaitSpan => ({ startedAt: clock.now(), endsAt: Number.POSITIVE_INFINITY });

/** What the looks have found, and how many there were. */
let looks = 0;
const lockOf = (resource: string, holders: readonly Holder[] = []): Waited => ({
  id: `lock:${resource}`,
  resource,
  kind: 'lock',
  findHolders: () => {
    looks += 1;
    return Promise.resolve(holders);
  },
});

/** Lets time pass, and warnings come: they are emitted a tick later. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
  await setImmediate();
}

const texts = (): string[] => warnings.map(({ message }) => message);

const OTHER = { holderId: 'other:7', depth: 1, remainingMs: 4_321 };

/** A place among holds, as locks describe it. */
function among(holds: readonly HoldInScope[], behind: string): Surroundings {
  return {
    holds: holds.map((hold) => ({ hold })),
    isBehind: ({ lockId, state }) => lockId === behind && state === 'held',
    isHeldAround: () => holds.some(({ lockId }) => lockId === behind),
  };
}

const holdOf = (name: string): HoldInScope => ({ lockId: name, lockName: name, state: 'held' });

test('a wait that nobody hears about is told once: for what, how long, and who has it', async () => {
  const stop = stalls.watch(lockOf('it', [OTHER]), now());

  await pass(9_999);
  const before = texts();
  await pass(1);
  await pass(100_000);
  stop();

  expect(before).toEqual([]);
  expect(warnings.map(({ name, code }) => [name, code])).toEqual([
    ['RedlatchWarning', 'REDLATCH_WAIT'],
  ]);
  expect(texts()[0]).toContain('the lock "it"');
  expect(texts()[0]).toContain('for 10 s');
  expect(texts()[0]).toContain('other:7 (4321 ms left');
  expect(texts()[0]).not.toMatch(/itself|this client/);
  expect(clock.pending).toBe(0);
});

test('the longest of the waits for a name without a limit is told, and how many wait', async () => {
  stalls.watch(lockOf('it', [OTHER]), { ...now(), endsAt: 1e9 });
  clock.advance(500);
  stalls.watch(lockOf('it', [OTHER]), now());
  clock.advance(400);
  stalls.watch(lockOf('it', [OTHER]), now());

  await pass(10_000);

  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain('10.4 s');
  expect(texts()[0]).toContain('3 calls');
});

test('a wait with a limit is not told, and no holder is looked for', async () => {
  looks = 0;
  stalls.watch(lockOf('it', [OTHER]), { ...now(), endsAt: clock.now() + 1e9 });

  await pass(100_000);

  expect(texts()).toEqual([]);
  expect(looks).toBe(0);
});

test('nothing is warned of while somebody listens to `stalled`', async () => {
  const told: unknown[] = [];
  events.on('stalled', (event) => told.push(event));
  stalls.watch(lockOf('it', [OTHER]), now());

  await pass(10_000);

  expect(texts()).toEqual([]);
  expect(told).toHaveLength(1);
});

test('a name is told once, also for another wait and another kind', async () => {
  looks = 0;
  const stop = stalls.watch(lockOf('it', [OTHER]), now());
  await pass(10_000);
  stop();
  stalls.watch(lockOf('it', [OTHER]), now());
  stalls.watch({ ...lockOf('it', [OTHER]), id: 'fair:it', kind: 'fair-lock' }, now());

  await pass(50_000);

  expect(texts()).toHaveLength(1);
  expect(looks).toBe(1);
});

test('a wait that ends while its holders are looked for is not told', async () => {
  const stop = stalls.watch(lockOf('it', [OTHER]), now());

  clock.advance(10_000);
  stop();
  await pass(0);

  expect(texts()).toEqual([]);
});

test('a look that fails is no error: the next span tells of the wait', async () => {
  let fails = true;
  const findHolders = (): Promise<readonly Holder[]> =>
    fails ? Promise.reject(new Error('no answer')) : Promise.resolve([OTHER]);
  stalls.watch({ ...lockOf('it'), findHolders }, now());

  await pass(10_000);
  const first = texts();
  fails = false;
  await pass(10_000);

  expect(first).toEqual([]);
  expect(failures).toEqual([]);
  expect(texts()).toHaveLength(1);
});

test('one who has it itself is told so: this client, and the scope that waits', async () => {
  stalls.watch(lockOf('mine', [{ ...OTHER, holderId: 'me:3' }]), now());
  stalls.watch(
    lockOf('around', [{ ...OTHER, holderId: 'me:4' }]),
    now(),
    among([holdOf('around')], 'around'),
  );
  const permit = { ...lockOf('permits', [OTHER]), kind: 'permit-expirable-semaphore' as const };
  stalls.watch({ ...permit, isOwn: (id) => id === 'other:7' }, now());

  await pass(10_000);

  expect(texts()[0]).toContain('me:3 (this client, 4321 ms left');
  expect(texts()[0]).toContain('within');
  expect(texts()[0]).not.toContain('It waits for itself');
  expect(texts()[1]).toContain('It waits for itself');
  expect(texts()[2]).toContain('other:7 (this client');
  expect(texts()[2]).not.toContain('within');
});

test('tasks that wait for each other are told as the circle that they are', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(holdOf) as [HoldInScope, HoldInScope, HoldInScope];
  stalls.watch(lockOf('b', [OTHER]), now(), among([holdOf('z'), a], 'b'));
  stalls.watch(lockOf('c', [OTHER]), now(), among([b], 'c'));
  stalls.watch(lockOf('a', [OTHER]), now(), among([c], 'a'));
  stalls.watch(lockOf('z', [OTHER]), now(), among([], 'z'));

  await pass(10_000);

  expect(texts()[0]).toContain(
    'one has "a" and waits for "b", one has "b" and waits for "c", one has "c" and waits for "a"',
  );
  expect(texts()[3]).not.toContain('circle');
});

test('holds that are over make no circle', async () => {
  const [a, b] = [holdOf('a'), { ...holdOf('b'), state: 'lost' }];
  stalls.watch(lockOf('b', [OTHER]), now(), among([a], 'b'));
  stalls.watch(lockOf('a', [OTHER]), now(), among([b], 'a'));

  await pass(10_000);

  expect(texts().join()).not.toContain('circle');
});

test('a semaphore without a number, a latch and a part are told as what they are', async () => {
  const unheld = { id: 's', resource: 's' };
  stalls.watch({ ...unheld, kind: 'semaphore', isUninitialised: () => true }, now());
  stalls.watch({ ...unheld, id: 'l', resource: 'l', kind: 'count-down-latch' }, now());
  stalls.watch({ ...lockOf('a, b', [OTHER]), kind: 'multi-lock', part: 'b' }, now());
  stalls.watch(lockOf('free'), now());

  await pass(10_000);

  expect(texts()[0]).toContain('nobody has set its number of permits');
  expect(texts()[1]).toContain('the count-down-latch "l"');
  expect(texts()[2]).toContain('the multi-lock "a, b", just now for "b"');
  expect(texts()[3]).toContain('No holder was found');
});

test('of hundreds of holders three are named', async () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ ...OTHER, holderId: `other:${i}` }));
  stalls.watch(lockOf('it', many), now());

  await pass(10_000);

  expect(texts()[0]).toContain('other:2');
  expect(texts()[0]).not.toContain('other:3');
  expect(texts()[0]).toContain('and 6 more');
});

function watchMany(count: number, from = 0): (() => void)[] {
  return Array.from({ length: count }, (_, i) =>
    stalls.watch(lockOf(`n${from + i}`, [OTHER]), now()),
  );
}

test('ten are told in a minute, and then how many more there were', async () => {
  looks = 0;
  watchMany(14);

  await pass(10_000);
  const atOnce = texts().length;
  await pass(59_999);
  const inTime = texts().length;
  await pass(1);

  expect([atOnce, inTime, looks]).toEqual([10, 10, 10]);
  expect(texts()).toHaveLength(11);
  expect(warnings[10]?.code).toBe('REDLATCH_WAIT');
  expect(texts()[10]).toContain('4 more');
});

test('the line about more comes with the end of the last wait, and once a minute', async () => {
  const stops = watchMany(12);
  await pass(10_000);
  stops.forEach((stop) => stop());
  await pass(0);
  const ended = texts();
  const later = watchMany(3, 100);
  await pass(10_000);
  later.forEach((stop) => stop());
  await pass(0);
  const same = texts().length;
  await pass(40_000);
  watchMany(1, 200);
  await pass(10_000);

  expect(ended).toHaveLength(11);
  expect(ended[10]).toContain('2 more');
  expect(same).toBe(11);
  // What was left of the minute before, and the first of the next one.
  expect(texts().slice(11)).toEqual([
    expect.stringContaining('3 more'),
    expect.stringContaining('"n200"'),
  ]);
});

test('no timer outlives the waits or the client, and a closed client is silent', async () => {
  const stops = watchMany(12);
  await pass(10_000);
  stalls.close();
  stops.forEach((stop) => stop());
  await pass(100_000);

  expect(clock.pending).toBe(0);
  expect(texts()).toHaveLength(10);
});
