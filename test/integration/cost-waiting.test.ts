// What standing waits and holds cost over time. These tests watch for ten seconds, side by side.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { latchChannel, listening } from '../support/latch-channel.js';
import { randomName, rawClient } from '../support/redis.js';
import { expectNoChannels } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { countedTraffic, type Traffic } from '../support/traffic.js';

const windowMs = 10_000;
const server = await ownServer();
const raw = rawClient(server.url);

/** Ends at the end of the test that made it: the tests of this file run side by side. */
function clientOn(url: string, leaseMs = 30_000): Client {
  return createClient({ redis: url, leaseMs });
}

/** How many commands go by during the watch. */
async function commandsInWindow(traffic: Traffic): Promise<number> {
  const before = traffic.names().length;
  await delay(windowMs);
  return traffic.names().length - before;
}

test.concurrent('a thousand waiters of one process on one lock send next to nothing', async () => {
  const name = randomName('herd');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url);
  await using holder = clientOn(server.url);
  const hold = await holder.getLock(name).acquire({ leaseMs: 120_000 });
  const abort = new AbortController();
  const waits = Array.from(
    { length: 1_000 },
    async () =>
      await client
        .getLock(name)
        .acquire({ signal: abort.signal })
        .catch(() => 'aborted'),
  );
  await eventually(async () => {
    const [, count] = (await raw.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`)) as [
      string,
      number,
    ];
    return count === 1;
  });
  await client.getLock(name).isLocked();

  const sent = await commandsInWindow(traffic);

  expect(sent).toBeLessThanOrEqual(10);
  abort.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
  await hold.release();
  expect(await raw.exists(name)).toBe(0);
});

test.concurrent(
  'waits for many locks share their re-checks, and still notice a key that went',
  async () => {
    const name = randomName('crowd');
    const traffic = await countedTraffic(server.url);
    await using client = clientOn(traffic.url);
    await using holder = clientOn(server.url);
    const locks = Array.from({ length: 250 }, (_, i) => `${name}-${i}`);
    await Promise.all(
      locks.map(async (lock) => await holder.getLock(lock).acquire({ leaseMs: 120_000 })),
    );
    const abort = new AbortController();
    const waits = locks.map(
      async (lock) =>
        await client
          .getLock(lock)
          .acquire({ signal: abort.signal })
          .catch(() => 'aborted'),
    );
    await eventually(
      async () => (await raw.pubsub('CHANNELS', `*${name}*`)).length === locks.length,
    );
    await client.getLock(locks[0] ?? '').isLocked();
    // Gone without a message: only a re-check can tell.
    await raw.del(locks[7] ?? '');

    const sent = await commandsInWindow(traffic);

    // Two or three rounds of three probes, and one acquisition.
    expect(sent).toBeLessThanOrEqual(12);
    expect(await Promise.race([waits[7], Promise.resolve('nothing yet')])).toMatchObject({
      isHeld: true,
    });
    abort.abort();
    await Promise.all(waits);
  },
);

test.concurrent('a thousand renewed holds cost at most ten commands a round', async () => {
  const name = randomName('many');
  const leaseMs = 3_000;
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url, leaseMs);
  const holds = await Promise.all(
    Array.from({ length: 1_000 }, async (_, i) => await client.getLock(`${name}-${i}`).acquire()),
  );

  const sent = await commandsInWindow(traffic);

  const rounds = windowMs / (leaseMs / 3);
  expect(holds.filter((hold) => hold.isHeld && hold.state === 'held')).toHaveLength(1_000);
  expect(sent).toBeGreaterThan(0);
  // One round more may fall into the window than fits into it.
  expect(sent).toBeLessThanOrEqual(10 * (rounds + 1));
});

test.concurrent('a hundred waiters of a latch send next to nothing', async () => {
  const name = randomName('crowd');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url);
  await using setter = clientOn(server.url);
  await setter.getCountDownLatch(name).trySetCount(1);
  const waits = Array.from(
    { length: 100 },
    async () => await client.getCountDownLatch(name).wait(),
  );
  await listening(raw, name);
  await client.getCountDownLatch(name).count();

  const sent = await commandsInWindow(traffic);

  expect(sent).toBeLessThanOrEqual(5);
  await setter.getCountDownLatch(name).countDown();
  expect(new Set(await Promise.all(waits))).toEqual(new Set([true]));
  await client.close();
  await expectNoChannels(latchChannel(name), { client: raw });
});

test.concurrent('an idle client sends nothing', async () => {
  const name = randomName('idle');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url, 300);
  await client.getLock(name).using(() => undefined);

  const sent = await commandsInWindow(traffic);

  expect(sent).toBe(0);
});

test.concurrent(
  'a wait of more than ten seconds is told as stalled, with who holds the lock',
  async () => {
    const name = randomName('stalled');
    await using client = clientOn(server.url, 100);
    await using holder = clientOn(server.url);
    const hold = await holder.getLock(name).acquire();
    const stalled: unknown[] = [];
    client.on('stalled', (event) => stalled.push(event));
    const abort = new AbortController();
    const caught = client
      .getLock(name)
      .acquire({ signal: abort.signal })
      .catch((error: unknown) => error);

    await eventually(() => stalled.length > 0, { withinMs: 13_000, everyMs: 50 });
    abort.abort(new Error('seen enough'));

    expect(stalled).toEqual([
      {
        resource: name,
        kind: 'lock',
        waitedMs: expect.any(Number) as number,
        holders: [{ holderId: hold.holderId, depth: 1, remainingMs: expect.any(Number) as number }],
      },
    ]);
    expect((stalled[0] as { waitedMs: number }).waitedMs).toBeGreaterThanOrEqual(9_900);
    expect(await caught).toMatchObject({ message: 'seen enough' });
  },
);
