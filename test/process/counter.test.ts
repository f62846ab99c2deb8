import { afterAll, expect, test } from 'vitest';
import { promised } from '../support/broken-promise.js';
import { listening } from '../support/latch-channel.js';
import { startWorker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('counter');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('four processes lose no update of 50 each, from the start gun to the finish line', async () => {
  const name = scope.name();
  const client = scope.client();
  const [start, finish] = ['start', 'finish'].map((word) =>
    client.getCountDownLatch(`${name}:${word}`),
  );
  await start!.trySetCount(1);
  await finish!.trySetCount(4);
  const args = [redisUrl(), name, '50'];
  const workers = [1, 2, 3, 4].map(() => startWorker('counter', { args }));
  await listening(raw, start!.name, 4);
  const before = await raw.get(`${name}:counter`);
  const finished = finish!.wait({ waitMs: 25_000 });

  await start!.countDown();
  const done = await finished;
  const reports = await Promise.all(
    workers.map(
      async (worker) => await worker.message<WorkerMessage & { tokens: string[] }>('done'),
    ),
  );
  const exits = await Promise.all(workers.map(async (worker) => await worker.exited));

  expect([before, done]).toEqual([null, true]);
  const counted = await raw.get(`${name}:counter`);
  promised('no update is lost', () => {
    expect(counted).toBe('200');
  });
  expect(exits).toEqual([1, 2, 3, 4].map(() => ({ code: 0, signal: null })));
  expect(new Set(reports.flatMap(({ tokens }) => tokens)).size).toBe(200);
  for (const { tokens } of reports) {
    expect(tokens).toEqual(tokens.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  }
  await raw.del(`${name}:counter`, `redisson_lock_token:{${name}:lock}`);
});
