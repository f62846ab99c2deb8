import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { Worker } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countsOf, expectExclusion, heard, startCrowd, tell } from './crowd.js';
import { FairLine } from './fair-line.js';
import { chance } from './random.js';

/** Who was served before somebody that was seen in front of it and was served as well. */
function inversions(seen: readonly string[][], served: readonly string[]): string[] {
  const turns = new Map(served.map((holderId, i) => [holderId, i]));
  return seen.flatMap((queue) => {
    const order = queue.filter((holderId) => turns.has(holderId));
    return order.slice(1).flatMap((holderId, i) => {
      const before = order[i] ?? '';
      return Number(turns.get(holderId)) < Number(turns.get(before))
        ? [`${holderId} before ${before}`]
        : [];
    });
  });
}

/** What waiting behind the dead and the frozen may cost, however many they are: the window of one grant,
 * which is 4 s of a lease of 12 s, and a heartbeat. */
const BOUND_MS = 7_000;

const scope = testScope('fair-queue');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

test('four processes are served in the order of the queue, past those that died or froze', async () => {
  const line = new FairLine(raw, scope.name());
  const lock = scope.client().getFairLock(line.name);
  const { shuffled, between } = chance('fair queue');
  const crowd = await startCrowd('queuer', 4, () => [redisUrl(), line.name, 12_000]);
  const [killed, frozen, napping, awake] = shuffled(crowd) as [Worker, Worker, Worker, Worker];
  const first = await lock.acquire();
  // Everybody has several places, and the dead and the frozen have the first ones.
  const order = shuffled([...crowd, ...crowd, ...crowd, ...crowd]);
  for (const worker of [...shuffled([killed, frozen, killed, frozen]), ...order]) {
    await line.enter(worker);
  }

  const leaving = shuffled(line.places).slice(0, between(2, 5));
  await Promise.all(leaving.map(async (place) => await line.leave(place)));
  const queue = await line.standing();
  napping.signal('SIGSTOP');
  frozen.signal('SIGSTOP');
  await killed.kill();
  await first.release();
  const releasedAt = performance.now();
  const napMs = between(0, 2_000);
  await eventually(() => performance.now() - releasedAt > napMs);
  napping.signal('SIGCONT');
  const live = line.of([napping, awake], queue);
  await eventually(async () => (await line.served()).length >= live.length, { withinMs: 15_000 });
  const waitedMs = performance.now() - releasedAt;
  const serving = await line.served();
  frozen.signal('SIGCONT');
  const late = line.of([frozen], queue);
  await eventually(async () => (await line.served()).length === live.length + late.length);
  const served = await line.served();
  // The next one that comes clears away what the dead have left.
  await line.bury();
  await (await lock.acquire()).release();
  const left = await raw.exists(line.queue, line.timeouts, line.beats);
  const counts = await countsOf(raw, `${line.name}:gauge`);
  await line.clear();

  const stayed = line.places.filter((place) => !leaving.includes(place));
  expect(queue).toEqual(stayed.map(({ holderId }) => holderId));
  expect(serving).toEqual(live);
  expect(served).toEqual([...live, ...late]);
  expect(waitedMs).toBeLessThan(BOUND_MS);
  expect(left).toBe(0);
  expectExclusion(counts);
  await Promise.all(crowd.map(async (worker) => await worker.kill()));
});

test(
  'while four processes come and go, nobody is served before one that stood in front of it',
  { timeout: 40_000 },
  async () => {
    const line = new FairLine(raw, scope.name());
    const { shuffled, between } = chance('fair order');
    const crowd = await startCrowd('queuer', 4, () => [redisUrl(), line.name, 2_000]);
    const [killed, ...napping] = shuffled(crowd) as [Worker, Worker, Worker, Worker];
    const seen: string[][] = [];
    const watching = { isOver: false };
    const watch = async (): Promise<void> => {
      while (!watching.isOver) {
        seen.push(await line.standing());
      }
    };
    const has = async (count: number): Promise<boolean> => (await line.served()).length >= count;

    tell(crowd, { type: 'loop', id: 3 });
    const watched = watch();
    await eventually(async () => await has(50));
    for (const worker of shuffled([...napping, ...napping])) {
      const count = (await line.served()).length;
      worker.signal('SIGSTOP');
      const [from, napMs] = [performance.now(), between(20, 250)];
      await eventually(() => performance.now() - from > napMs);
      worker.signal('SIGCONT');
      await eventually(async () => await has(count + 20));
    }
    const count = (await line.served()).length;
    await killed.kill();
    // It may have died inside; nobody else gets in before its lease has ended.
    const gauge = `${line.name}:gauge`;
    const [alone, who] = await raw.hmget(gauge, 'alone', 'who');
    if (alone === '1' && who === String(killed.pid)) {
      await raw.hincrby(gauge, 'alone', -1);
    }
    await eventually(async () => await has(count + 100), { withinMs: 15_000 });
    tell(napping, { type: 'stop' });
    await heard(napping, 'stopped');
    watching.isOver = true;
    await watched;
    // The dead one keeps its place for four seconds, and is passed over.
    await line.bury();
    await (await scope.client().getFairLock(line.name).acquire()).release();
    const served = await line.served();
    const counts = await countsOf(raw, `${line.name}:gauge`);
    await line.clear();

    expect(inversions(seen, served)).toEqual([]);
    expect(new Set(seen.flat()).size).toBeGreaterThan(100);
    expectExclusion(counts);
    await Promise.all(crowd.map(async (worker) => await worker.kill()));
  },
);
