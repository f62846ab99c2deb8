// What a read-write lock costs the server, with few and with thousands of readers.

import { afterAll, expect, test } from 'vitest';
import type { Hold, Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic, type Traffic } from '../../support/traffic.js';
import { RwView } from './rwlock.js';

const scope = testScope('rwlock-cost');
const server = await ownServer();
const raw = rawClient(server.url);

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_cancelled:/], client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

/** Microseconds of server time that a script call takes on the average while `task` runs. */
async function microsPerScript(task: () => Promise<void>): Promise<number> {
  await raw.config('RESETSTAT');
  await task();
  const stats = await raw.info('commandstats');
  // A client's first call of a script sends its text.
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+),usec=(\d+)/gm)];
  const [scripts, micros] = [1, 2].map((at) =>
    calls.reduce((sum, call) => sum + Number(call[at]), 0),
  );
  return (micros ?? Number.NaN) / (scripts ?? 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** What a release costs, the median of several rounds, while others read on. */
async function releaseMicros(lock: Lock): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const holds = await Promise.all(Array.from({ length: 40 }, () => lock.acquire()));
    rounds.push(
      await microsPerScript(async () => {
        await Promise.all(holds.map(async (hold) => await hold.release()));
      }),
    );
  }
  return median(rounds);
}

test.each([['readLock'], ['writeLock']] as const)(
  'acquire and release of a free %s are two commands, a re-entry two more',
  async (side) => {
    const traffic = await countedTraffic(server.url);
    const { [side]: lock } = scope.client({ redis: traffic.url }).getReadWriteLock(scope.name());

    await lock.using(() => undefined);
    const once = traffic.names().length;
    await lock.using(async () => await lock.using(() => undefined));

    expect(once).toBe(2);
    expect(traffic.names()).toHaveLength(6);
    expect(traffic.scripts()).toBe(6);
  },
);

test('a writer that reads and downgrades costs two commands a hold', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getReadWriteLock(scope.name());

  const writing = await lock.writeLock.acquire();
  const reading = await lock.readLock.acquire({ within: writing });
  await writing.release();
  await reading.release();

  expect(traffic.names()).toHaveLength(4);
});

test('R7: a release beside five thousand readers of ours costs about what it costs alone', async () => {
  const client = scope.client({ redis: server.url });
  const few = client.getReadWriteLock(scope.name()).readLock;
  const many = client.getReadWriteLock(scope.name()).readLock;
  const first = await few.acquire();
  const readers = await Promise.all(Array.from({ length: 5_000 }, () => many.acquire()));

  const [alone, crowded] = [await releaseMicros(few), await releaseMicros(many)];

  expect(await raw.hlen(many.name)).toBe(5_001);
  expect(crowded).toBeLessThan(4 * alone + 20);
  await Promise.all([first, ...readers].map(async (hold) => await hold.release()));
});

test('R7: a last release of ours beside five thousand readers of Redisson is bounded', async () => {
  const { readLock } = scope.client({ redis: server.url }).getReadWriteLock(scope.name());
  const view = new RwView(raw, readLock.name);
  const small: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const hold = await readLock.acquire();
    small.push(await microsPerScript(async () => await hold.release()));
  }
  const fill = raw.pipeline().hset(view.name, 'mode', 'read').pexpire(view.name, 60_000);
  for (let i = 0; i < 5_000; i += 1) {
    const holder = `6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:${i}`;
    fill.hset(view.name, holder, 1).set(view.holdKey(holder), '1', 'PX', 60_000);
  }
  await fill.exec();

  const large: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const hold = await readLock.acquire();
    large.push(await microsPerScript(async () => await hold.release()));
  }

  expect(await raw.hlen(view.name)).toBe(5_001);
  // Redisson walks all of them: 7.5 ms.
  expect(median(large)).toBeLessThan(4 * median(small) + 400);
  await raw.flushall();
});

test('thousands of dead readers of Redisson keep a writer out for a moment only', async () => {
  const { readLock, writeLock } = scope
    .client({ redis: server.url })
    .getReadWriteLock(scope.name());
  const view = new RwView(raw, readLock.name);
  const hold = await readLock.acquire();
  const fill = raw.pipeline();
  for (let i = 0; i < 5_000; i += 1) {
    fill.hset(view.name, `6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:${i}`, 1);
  }
  await fill.exec();

  await hold.release();
  const writing = await writeLock.acquire({ waitMs: 5_000 });

  expect(await view.fields()).toEqual({ mode: 'write', [`${writing.holderId}:write`]: '1' });
  await writing.release();
});

test('a thousand readers of four clients come in with three script calls a client', async () => {
  const name = scope.name();
  const view = new RwView(raw, name);
  const writing = await scope
    .client({ redis: server.url })
    .getReadWriteLock(name)
    .writeLock.acquire();
  const ways: Traffic[] = [];
  const reads: Promise<Hold>[] = [];
  for (let i = 0; i < 4; i += 1) {
    const traffic = await countedTraffic(server.url);
    ways.push(traffic);
    const { readLock } = scope.client({ redis: traffic.url }).getReadWriteLock(name);
    reads.push(...Array.from({ length: 250 }, () => readLock.acquire()));
  }
  await view.readersWait(4);
  // Everybody has asked once of its own, and once more when its client began to listen.
  await eventually(() => ways.every((traffic) => traffic.scripts() >= 251));

  const before = ways.map((traffic) => traffic.scripts());
  await writing.release();
  const holds = await Promise.all(reads);
  const calls = ways.map((traffic, i) => traffic.scripts() - (before[i] ?? 0));

  expect(Math.max(...calls)).toBeLessThanOrEqual(3);
  expect(await raw.hlen(name)).toBe(1_001);
  await Promise.all(holds.map(async (hold) => await hold.release()));
  const perClient = ways.map((traffic, i) => traffic.scripts() - (before[i] ?? 0));
  expect(Math.max(...perClient)).toBeLessThanOrEqual(253);
});

test('readers that wait cost one script call a client and beat, however many they are', async () => {
  const name = scope.name();
  const view = new RwView(raw, name);
  const writing = await scope
    .client({ redis: server.url })
    .getReadWriteLock(name)
    .writeLock.acquire();
  const traffic = await countedTraffic(server.url);
  const reader = scope.client({ redis: traffic.url });
  const { readLock } = reader.getReadWriteLock(name);
  const reads = Array.from({ length: 200 }, () => readLock.acquire());
  await view.readersWait(1);
  await eventually(() => traffic.scripts() >= 201);

  const before = traffic.scripts();
  const heard = await raw.zscore(view.beats, reader.id);
  await eventually(async () => (await raw.zscore(view.beats, reader.id)) !== heard);

  expect(traffic.scripts() - before).toBeLessThanOrEqual(2);
  await writing.release();
  await Promise.all(reads.map(async (read) => await (await read).release()));
});
