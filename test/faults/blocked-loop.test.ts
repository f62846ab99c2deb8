// A process that was busy for longer than an answer may take: what has arrived meanwhile counts.

import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { take } from './world.js';
import { kinds } from '../support/kinds/kinds.js';
import type { Kind } from '../support/kinds/kind.js';

const TIMEOUT_MS = 200;

const scope = testScope('blocked');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

/** Makes sure that one can get in, for the time of a test. */
async function allow(kind: Kind, name: string): Promise<void> {
  if (kind.isSemaphore) {
    await raw.set(name, 1);
  }
  onTestFinished(async () => {
    // What has no TTL by design.
    await raw.del(name, `redisson_lock_token:{${name}}`);
  });
}

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

for (const kind of kinds) {
  test(`the grant of a ${kind.what} that lies there counts, and so does its release`, async () => {
    const entrance = kind.get(await connected(), scope.name());
    await allow(kind, entrance.name);

    const grant = await blockAfter(entrance.tryAcquire({ waitMs: TIMEOUT_MS }));

    expect(grant).not.toBeNull();
    await kind.expectIn(entrance.name, grant!);
    await blockAfter(grant!.release());
    expect(await kind.isFree(entrance.name)).toBe(true);
  });

  test(`that others have a ${kind.what} is known from an answer that lies there`, async () => {
    const entrance = kind.get(await connected(), scope.name());
    await allow(kind, entrance.name);
    const rival = await take(kind.rival(await connected(), entrance.name));

    expect(await blockAfter(entrance.tryAcquire({ waitMs: TIMEOUT_MS }))).toBeNull();

    await rival.release();
  });
}

test('a wait that saw its zero before waitMs had passed answers true', async () => {
  const latch = (await connected()).getCountDownLatch(scope.name());

  const reached = await blockAfter(latch.wait({ waitMs: TIMEOUT_MS }));

  expect(reached).toBe(true);
});
