import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('dispose');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

test('a hold in an await using block is released at its end', async () => {
  const lock = scope.client().getLock(scope.name());

  {
    await using hold = await lock.acquire();
    expect(await raw.hgetall(lock.name)).toEqual({ [hold.holderId]: '1' });
  }

  expect(await raw.exists(lock.name)).toBe(0);
});

test('an await using block that throws releases its hold and keeps its error', async () => {
  const lock = scope.client().getLock(scope.name());
  const failure = new Error('in the block');

  const work = (async () => {
    await using hold = await lock.acquire();
    hold.assertHeld();
    throw failure;
  })();

  await expect(work).rejects.toBe(failure);
  expect(await raw.exists(lock.name)).toBe(0);
});

test('disposing of a hold that was lost does not reject, and tells the loss once', async () => {
  const client = scope.client();
  const told: string[] = [];
  client.on('lost', ({ error }) => told.push(`lost ${error.reason}`));
  client.on('error', ({ error }) => told.push(`error ${error.message}`));
  const lock = client.getLock(scope.name());

  {
    await using hold = await lock.acquire();
    await raw.del(hold.lockName);
  }

  expect(told).toEqual(['lost deleted']);
});

test('disposing of a hold that cannot be released does not reject, and is told', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url, commandTimeoutMs: 300 });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.name));
  const hold = await client.getLock(scope.name()).acquire();
  proxy.pauseUpstream();

  await hold[Symbol.asyncDispose]();
  const heldMeanwhile = hold.isHeld;
  proxy.resumeUpstream();

  expect(errors).toContain('OutcomeUnknownError');
  expect(heldMeanwhile).toBe(false);
  await eventually(async () => (await raw.exists(hold.lockName)) === 0);
});

test('a task that fails while its lease is lost keeps its own error', async () => {
  const lock = scope.client().getLock(scope.name());
  const failure = new Error('in the task');

  const work = lock.using(async () => {
    await raw.del(lock.name);
    throw failure;
  });

  await expect(work).rejects.toBe(failure);
});

test('a task that succeeds while its lease is lost rejects', async () => {
  const lock = scope.client().getLock(scope.name());

  const work = lock.using(async () => {
    await raw.del(lock.name);
    return 'done';
  });

  await expect(work).rejects.toMatchObject({ code: 'ERR_LEASE_LOST', resource: lock.name });
});
