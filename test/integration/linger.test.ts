// A channel stays subscribed a little after its last waiter, for those who come right back.

import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { channelsUnder, rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { countedTraffic } from '../support/traffic.js';

const scope = testScope('linger');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

/** A moment that is much shorter than a second, and in which whatever was sent has arrived. */
async function aMoment(): Promise<void> {
  for (let i = 0; i < 50; i += 1) {
    await raw.ping();
    await setImmediate();
  }
}

test('the channel of a lock outlives its last waiter, and then goes', async () => {
  const name = scope.name();
  const hold = await scope.client().getLock(name).acquire();
  const waiter = scope.client();

  const answer = await waiter.getLock(name).tryAcquire({ waitMs: 200 });
  await aMoment();
  const rightAfter = await channelsUnder(name, raw);
  await eventually(async () => (await channelsUnder(name, raw)).length === 0);

  expect(answer).toBeNull();
  expect(rightAfter).toEqual([`redisson_lock__channel:{${name}}`]);
  await hold.release();
});

test('the channel of a latch outlives its last waiter, and then goes', async () => {
  const name = scope.name();
  const latch = scope.client().getCountDownLatch(name);
  await latch.trySetCount(1);

  const answer = await latch.wait({ waitMs: 200 });
  await aMoment();
  const rightAfter = await channelsUnder(name, raw);
  await eventually(async () => (await channelsUnder(name, raw)).length === 0);

  expect(answer).toBe(false);
  expect(rightAfter).toEqual([`redisson_countdownlatch__channel__{${name}}`]);
  await latch.delete();
});

test('who comes right back finds the channel subscribed', async () => {
  const traffic = await countedTraffic(redisUrl());
  const name = scope.name();
  const hold = await scope.client().getLock(name).acquire();
  const lock = scope.client({ redis: traffic.url }).getLock(name);

  for (let i = 0; i < 3; i += 1) {
    await lock.tryAcquire({ waitMs: 100 });
    await aMoment();
  }

  expect(traffic.names().filter((command) => command === 'subscribe')).toHaveLength(1);
  expect(traffic.names()).not.toContain('unsubscribe');
  await hold.release();
});
