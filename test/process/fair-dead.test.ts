import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { Worker } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { startCrowd } from './crowd.js';
import { FairLine } from './fair-line.js';
import { chance } from './random.js';

const scope = testScope('fair-dead');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

test('nobody waits longer behind five dead and frozen processes than behind one', async () => {
  const line = new FairLine(raw, scope.name());
  const { shuffled } = chance('fair dead');
  const lock = scope.client().getFairLock(line.name);
  const crowd = await startCrowd('queuer', 6, () => [redisUrl(), line.name, 12_000]);
  const live = crowd[5] as Worker;
  const [a, b, c, ...frozen] = shuffled(crowd.slice(0, 5)) as [Worker, Worker, Worker];
  const killed = [a, b, c];
  const first = await lock.acquire();
  for (const worker of crowd) {
    await line.enter(worker);
  }
  const queue = await line.standing();

  await Promise.all(killed.map(async (worker) => await worker.kill()));
  frozen.forEach((worker: Worker) => worker.signal('SIGSTOP'));
  const releasedAt = performance.now();
  await first.release();
  await eventually(async () => (await line.served()).length === 1, { withinMs: 15_000 });
  const waitedMs = performance.now() - releasedAt;
  frozen.forEach((worker: Worker) => worker.signal('SIGCONT'));
  await eventually(async () => (await line.served()).length === 3);
  const served = await line.served();
  await (await lock.acquire()).release();
  const left = await raw.exists(line.queue, line.timeouts, line.beats);
  await line.clear();

  expect(served[0]).toEqual(queue[5]);
  expect(served.toSorted()).toEqual(line.of([live, ...frozen], queue).toSorted());
  // The window of one grant, and a heartbeat.
  expect(waitedMs).toBeLessThan(7_000);
  expect(left).toBe(0);
  await Promise.all(crowd.map(async (worker) => await worker.kill()));
});

test('the release after which nobody but the dead is left takes all they have left away', async () => {
  const line = new FairLine(raw, scope.name());
  const crowd = await startCrowd('queuer', 1, () => [redisUrl(), line.name, 30_000]);
  const hold = await scope.client().getFairLock(line.name).acquire();
  const dead = crowd[0] as Worker;
  await line.enter(dead);
  await line.enter(dead);

  await dead.kill();
  const members = await raw.zrange(line.beats, '0', '-1');
  await line.bury();
  await hold.release();
  const left = await raw.exists(line.queue, line.timeouts, line.beats);
  const ttlMs = await raw.pttl(line.beats);
  await line.clear();

  expect(members).toHaveLength(1);
  expect([left, ttlMs]).toEqual([0, -2]);
});
