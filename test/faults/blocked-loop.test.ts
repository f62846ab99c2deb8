// A process that was busy for longer than an answer may take: what has arrived meanwhile counts.

import { afterAll, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const TIMEOUT_MS = 200;

const scope = testScope('blocked');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

/** A client that is connected, and whose scripts the server knows. */
async function connected(): Promise<Client> {
  const client = scope.client({ commandTimeoutMs: TIMEOUT_MS });
  await eventually(async () => !(await client.getLock(scope.name()).isLocked()));
  return client;
}

/** What this turn has sent leaves, and then nothing runs until its time is up. */
async function blockAfter<T>(work: Promise<T>): Promise<T> {
  setImmediate(() => {
    const end = performance.now() + 2 * TIMEOUT_MS;
    while (performance.now() < end) {
      // Busy.
    }
  });
  return await work;
}

test('a count-down whose answer lies there is done, and no unknown outcome', async () => {
  const latch = (await connected()).getCountDownLatch(scope.name());
  await latch.trySetCount(5);

  await blockAfter(latch.countDown());

  expect(await latch.count()).toBe(4);
  await latch.delete();
});

test('a release whose answer lies there is done, and no unknown outcome', async () => {
  const hold = await (await connected()).getLock(scope.name()).acquire();

  await blockAfter(hold.release());

  expect(await raw.exists(hold.lockName)).toBe(0);
});

test('a lock whose grant lies there when waitMs has passed is held', async () => {
  const lock = (await connected()).getLock(scope.name());

  const hold = await blockAfter(lock.tryAcquire({ waitMs: TIMEOUT_MS }));

  expect(hold?.isHeld).toBe(true);
  expect(await raw.hgetall(lock.name)).toEqual({ [hold?.holderId ?? '']: '1' });
});

test('a wait that saw its zero before waitMs had passed answers true', async () => {
  const latch = (await connected()).getCountDownLatch(scope.name());

  const reached = await blockAfter(latch.wait({ waitMs: TIMEOUT_MS }));

  expect(reached).toBe(true);
});
