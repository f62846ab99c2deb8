// A channel stays subscribed a little after its last waiter, for those who come right back.

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, redisUrl } from '../../support/redis.js';
import { countedTraffic } from '../../support/traffic.js';
import { skippingClock, slowClock } from '../../support/skipping-clock.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

const { client, name, raw } = fixture('linger', allLasting);

/** A channel that nobody uses is given up well before this. */
const LINGERED_MS = 1_500;

/** A moment that is much shorter than a second of a slow clock, and in which whatever was sent has arrived. */
async function aMoment(): Promise<void> {
  for (let i = 0; i < 50; i += 1) {
    await raw.ping();
    await setImmediate();
  }
}

test.each(objectKinds)(
  'the channel of a $id outlives its last waiter, and then goes',
  async (kind) => {
    const object = name();
    const taken = await kind.take(client(), object);
    const clock = skippingClock(slowClock());
    const own = client({}, clock);

    const [outcome] = await Promise.allSettled([kind.wait(own, object, { waitMs: 20 })]);
    await aMoment();
    const rightAfter = await channelsUnder(object, raw);
    clock.skip(LINGERED_MS);
    await eventually(async () => (await channelsUnder(object, raw)).length === 0);

    const timedOut = { reason: { code: 'ERR_ACQUIRE_TIMEOUT' } };
    expect(outcome).toMatchObject(kind.id === 'count-down-latch' ? { value: false } : timedOut);
    expect(rightAfter).toHaveLength(1);
    expect(rightAfter[0]?.startsWith(kind.channel(object))).toBe(true);
    await taken.remove();
  },
);

test('who comes right back finds the channel subscribed', async () => {
  const traffic = await countedTraffic(redisUrl());
  const object = name();
  const hold = await client().getLock(object).acquire();
  const lock = client({ redis: traffic.url }, slowClock()).getLock(object);
  // Connected: a busy machine may take longer for that than such a wait lasts.
  await lock.isLocked();

  for (let i = 0; i < 3; i += 1) {
    await lock.tryAcquire({ waitMs: 20 });
    await aMoment();
  }

  expect(traffic.names().filter((command) => command === 'subscribe')).toHaveLength(1);
  expect(traffic.names()).not.toContain('unsubscribe');
  await hold.release();
});
