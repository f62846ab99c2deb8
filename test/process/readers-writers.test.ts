import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countsOf, expectExclusion, heard, startCrowd, tell } from './crowd.js';

const scope = testScope('readers-writers');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

/** Waits until readers of so many clients stand in line and have asked since they listen: from
 * then on more than a second passes before any of them asks of its own accord. */
async function asleep(name: string, clients: number): Promise<void> {
  const beats = async (): Promise<(string | null)[]> => {
    const waiting = await raw.zrange(`redlatch_waiting:{${name}}`, '0', '-1');
    expect(waiting).toHaveLength(clients);
    return await raw.zmscore(`redlatch_beats:{${name}}`, ...waiting);
  };
  const first = await eventually(async () => {
    const [, listeners] = await raw.pubsub('NUMSUB', `redisson_rwlock:{${name}}`);
    return Number(listeners) >= clients && (await beats());
  });
  await eventually(async () => {
    const later = await beats();
    return later.every((beat, i) => beat !== first[i]);
  });
}

test('readers of four processes are all inside at once, each time a writer leaves', async () => {
  const name = scope.name();
  const { writeLock } = scope.client().getReadWriteLock(name);
  const crowd = await startCrowd('readers', 4, () => [redisUrl(), name, 30_000]);
  const peaks: number[] = [];
  const gaps: number[] = [];

  for (let round = 0; round < 25; round += 1) {
    const gauge = `${name}:gauge:${round}`;
    const write = await writeLock.acquire();
    tell(crowd, { type: 'read', readers: 3, gauge, crowd: 12 });
    await eventually(async () => (await raw.zcard(`redlatch_waiting:{${name}}`)) === 4);
    await write.release();
    await heard(crowd, 'read');
    const { peak, gapMs } = await countsOf(raw, gauge);
    peaks.push(peak);
    gaps.push(gapMs);
    await raw.del(gauge);
  }

  expect(new Set(peaks)).toEqual(new Set([12]));
  // Who was not told asks by itself after 1.3 s.
  expect(Math.max(...gaps)).toBeLessThan(1_000);
  await Promise.all(crowd.map(async (worker) => await worker.kill()));
});

test('readers of four processes share, writers are alone, and all are told in time', async () => {
  const name = scope.name();
  const crowd = await startCrowd('mixed', 4, () => [redisUrl(), name, 4, 2, 20]);

  tell(crowd, { type: 'go' });
  await heard(crowd, 'done', { withinMs: 20_000 });
  const counts = await countsOf(raw, `${name}:gauge`);
  await raw.del(`${name}:gauge`);

  expectExclusion(counts);
  expect(counts).toMatchObject({ sharedEntries: 320, aloneEntries: 160, clashes: 0, shared: 0 });
  expect(counts.peak).toBeGreaterThan(1);
  // Who was not told asks by itself after 1.3 s, and in the end nobody else enters.
  expect(counts.gapMs).toBeLessThan(1_000);
});

test(
  'two writers and readers of eight processes that never pause all get their turns',
  { timeout: 40_000 },
  async () => {
    const name = scope.name();
    const crowd = await startCrowd('greedy', 10, (i) => [
      redisUrl(),
      name,
      i < 2 ? 'write' : 'read',
      i < 2 ? 1 : 2,
    ]);

    tell(crowd, { type: 'go' });
    await eventually(
      async () => {
        const times = await raw.hvals(`${name}:times`);
        return times.length === 10 && times.every((count) => Number(count) >= 20);
      },
      { withinMs: 20_000 },
    );
    tell(crowd, { type: 'stop' });
    type Report = WorkerMessage &
      Record<'behindWriters' | 'passedWriters' | 'writesWaitedFor', number>;
    const reports = await heard<Report>(crowd, 'done');
    const counts = await countsOf(raw, `${name}:gauge`);
    await raw.del(`${name}:gauge`, `${name}:times`);
    const readers = reports.slice(2);
    const waited = readers.map(({ writesWaitedFor }) => writesWaitedFor);

    expect(readers.map(({ passedWriters }) => passedWriters)).toEqual(readers.map(() => 0));
    expect(readers.every(({ behindWriters }) => behindWriters > 0)).toBe(true);
    // The two that asked before it, and who got in until its own ask arrived.
    expect(Math.max(...waited)).toBeLessThan(10);
    expectExclusion(counts);
    expect(counts).toMatchObject({ shared: 0, alone: 0 });
  },
);

test('a downgrade lets the waiting readers of three processes in at once', async () => {
  const name = scope.name();
  const gauge = `${name}:gauge`;
  const { readLock, writeLock } = scope.client().getReadWriteLock(name);
  const crowd = await startCrowd('readers', 3, () => [redisUrl(), name, 30_000]);
  const write = await writeLock.acquire();
  const read = await write.run(async () => await readLock.acquire());
  tell(crowd, { type: 'read', readers: 3, gauge, crowd: 9 });
  await asleep(name, 3);
  const before = await countsOf(raw, gauge);

  const releasedAt = performance.now();
  await write.release();
  await heard(crowd, 'read');
  const tookMs = performance.now() - releasedAt;
  const after = await countsOf(raw, gauge);
  const stillReads = read.isHeld;
  await read.release();
  await raw.del(gauge);

  expect(before.entries).toBe(0);
  expect(after).toMatchObject({ sharedEntries: 9, peak: 9 });
  expect(tookMs).toBeLessThan(800);
  expect(stillReads).toBe(true);
  await Promise.all(crowd.map(async (worker) => await worker.kill()));
});
