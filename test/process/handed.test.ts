// A hold goes from process to process, and each of them is killed.

import { afterAll, expect, test } from 'vitest';
import { NotHeldError } from '../../src/index.js';
import { startWorker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('handed');
const raw = rawClient();

afterAll(async () => {
  await raw.del(...(await raw.keys(`redisson_lock_token:{${scope.prefix}*`)), scope.prefix);
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|tickets):/] });
  await expectNoChannels(scope.prefix);
});

test('a hold outlives the process that has detached it, and ends with the one that has adopted it', async () => {
  const name = scope.name();
  const args = [redisUrl(), name];
  const first = startWorker('detacher', { args });
  const { string, token } = await first.message<WorkerMessage & { string: string; token: string }>(
    'detached',
  );
  await first.kill('SIGKILL');
  const client = scope.client();
  const waiting = client.getFencedLock(name).acquire({ waitMs: 30_000 });

  const second = startWorker('detacher', { args: [...args, string] });
  const adopted = await second.message<WorkerMessage & { token: string }>('adopted');
  expect(adopted).toMatchObject({ token, isHeld: true });
  await expect(client.adopt(string)).rejects.toThrow(NotHeldError);
  await second.kill('SIGKILL');

  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(BigInt(token));
  await next.release();
});
