// A channel that lingers is kept for who comes meanwhile, and not given up under them.

import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { channelsUnder, rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

/** A left channel is given up well before this. */
const LINGERED_MS = 1_500;
/** Well below the re-check of 5 s: only a message wakes so soon. */
const PROMPTLY_MS = 2_500;

const scope = testScope('linger-waiters');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

async function lingered(): Promise<void> {
  const end = performance.now() + LINGERED_MS;
  await eventually(() => performance.now() > end);
}

test('who waits for a lock hears its release, though others left before', async () => {
  const hold = await scope.client().getLock(scope.name()).acquire();
  const lock = scope.client().getLock(hold.lockName);
  await lock.tryAcquire({ waitMs: 100 });

  const waiting = lock.acquire();
  await lingered();
  const channels = await channelsUnder(lock.name, raw);
  const releasedAt = performance.now();
  await hold.release();
  const next = await waiting;

  expect(channels).toHaveLength(1);
  expect(performance.now() - releasedAt).toBeLessThan(PROMPTLY_MS);
  await next.release();
});

test('who waits for a latch hears its zero, though others left before', async () => {
  const theirs = scope.client().getCountDownLatch(scope.name());
  const latch = scope.client().getCountDownLatch(theirs.name);
  await theirs.trySetCount(1);
  await latch.wait({ waitMs: 100 });

  const waiting = latch.wait();
  await lingered();
  const channels = await channelsUnder(latch.name, raw);
  const countedAt = performance.now();
  await theirs.countDown();

  expect(await waiting).toBe(true);
  expect(channels).toHaveLength(1);
  expect(performance.now() - countedAt).toBeLessThan(PROMPTLY_MS);
});
