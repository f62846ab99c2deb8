import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countsOf, heard, startCrowd, tell } from './crowd.js';

const scope = testScope('sizes');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_requests:/] });
  await expectNoChannels(scope.prefix);
});

test('requests for 5, 1 and 3 permits are served in this order as permits come one by one', async () => {
  const name = scope.name();
  const semaphore = scope.client().getSemaphore(name);
  const giver = scope.client().getSemaphore(name);
  await semaphore.trySetPermits(0);
  const served: number[] = [];
  const waiting = [5, 1, 3].map(async (permits) => {
    await semaphore.acquire(permits);
    served.push(permits);
  });
  const steps: [number, number[]][] = [];
  await eventually(async () => {
    const [, listeners] = await raw.pubsub('NUMSUB', `redisson_sc:{${name}}`);
    return Number(listeners) === 1;
  });

  const expected: [number, number[]][] = [
    ...[1, 2, 3, 4].map((left): [number, number[]] => [left, []]),
    [0, [5]],
    [0, [5, 1]],
    [1, [5, 1]],
    [2, [5, 1]],
    [0, [5, 1, 3]],
  ];
  for (const [left, those] of expected) {
    await giver.release();
    await eventually(async () => {
      steps.push([await giver.availablePermits(), [...served]]);
      expect(steps.at(-1)).toEqual([left, those]);
    });
  }
  await Promise.all(waiting);
  await semaphore.delete();

  expect(served).toEqual([5, 1, 3]);
});

test('a request for all permits gets in though three processes never stop taking single ones', async () => {
  const name = scope.name();
  const semaphore = scope.client().getSemaphore(name);
  await semaphore.trySetPermits(5);
  const crowd = await startCrowd('taker', 3, () => [redisUrl(), name, 3]);
  const counts = async (): ReturnType<typeof countsOf> => await countsOf(raw, `${name}:gauge`);
  tell(crowd, { type: 'go' });
  await eventually(async () => (await counts()).entries > 50);

  const [askedAt, before] = [performance.now(), await counts()];
  const all = await semaphore.acquire(5);
  const waitedMs = performance.now() - askedAt;
  const inside = await counts();
  await all.release();
  await eventually(async () => (await counts()).entries > inside.entries + 50);
  tell(crowd, { type: 'stop' });
  await heard(crowd, 'done');
  const left = await semaphore.availablePermits();
  await semaphore.delete();
  await raw.del(`${name}:gauge`);

  // They passed it until it had waited for 5 s, and then stood back.
  expect(inside.entries - before.entries).toBeGreaterThan(100);
  expect(waitedMs).toBeLessThan(10_000);
  expect(inside).toMatchObject({ shared: 0, peak: 5 });
  expect(left).toBe(5);
});
