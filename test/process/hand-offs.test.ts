// A lock that is handed on between processes, some of which are killed at random moments.

import { afterAll, expect, test } from 'vitest';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import { startWorker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { chance } from './random.js';

const TOTAL = 10_000;
const PROCESSES = 8;
const KILLS = 5;
/** Whoever is killed inside costs the others a lease. */
const LEASE_MS = 1_000;
/** A lease, the re-check that finds its end, and some time for a busy machine. */
const WAIT_MAX_MS = 4_000;

const scope = testScope('hand-offs');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, {
    allow: [/^redlatch_(?:cancelled|requests|line|tickets):/],
  });
  await expectNoChannels(scope.prefix);
});

type Done = WorkerMessage & { readonly longestMs: number; readonly turns: number };

test('eight processes, some killed at random, lose no update of 10,000 and wait no longer than a lease', async () => {
  const name = scope.name();
  const random = chance('hand-offs');
  const [counter, tokens] = [`${name}:counter`, `${name}:tokens`];
  const args = [redisUrl(), name, String(TOTAL), String(LEASE_MS)];
  const start = (): ReturnType<typeof startWorker> => startWorker('hand-offs', { args });
  const workers = Array.from({ length: PROCESSES }, start);
  await Promise.all(workers.map(async (worker) => await worker.message('ready')));

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const at = Math.floor((TOTAL * kill) / (KILLS + 1)) + random.between(0, 100);
    await eventually(async () => Number(await raw.get(counter)) >= at, {
      withinMs: 20_000,
      everyMs: 1,
    });
    const place = random.between(0, PROCESSES - 1);
    await workers[place]!.kill();
    workers[place] = start();
  }
  const done = await Promise.all(
    workers.map(async (worker) => await worker.message<Done>('done', { withinMs: 30_000 })),
  );
  const exits = await Promise.all(workers.map(async (worker) => await worker.exited));
  const counted = Number(await raw.get(counter));
  const told = (await raw.lrange(tokens, 0, -1)).map(BigInt);

  promised('no update is lost, and tokens grow', () => {
    // Whatever was counted was noted in the same step: an update that was lost would be one token more.
    expect([counted, told.length]).toEqual([TOTAL, TOTAL]);
    expect(told.filter((token, i) => i > 0 && token <= told[i - 1]!)).toEqual([]);
  });
  expect(exits).toEqual(workers.map(() => ({ code: 0, signal: null })));
  expect(Math.max(...done.map(({ longestMs }) => longestMs))).toBeLessThan(WAIT_MAX_MS);
  await raw.del(counter, tokens, `redisson_lock_token:{${name}:lock}`);
}, 90_000);
