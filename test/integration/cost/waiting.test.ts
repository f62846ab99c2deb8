// What standing waits and holds cost over time. These tests watch for ten seconds, side by side.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient, type Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { toldOf } from '../../support/told.js';
import { countedTraffic, quiet, type Traffic } from '../../support/traffic.js';

const windowMs = 10_000;
const server = await ownServer();
const raw = rawClient(server.url);

/** Ends at the end of the test that made it: the tests of this file run side by side. What lasts is not told: no look
 * at who holds it falls into the window. */
function clientOn(url: string, leaseMs = 30_000): Client {
  return createClient({ redis: url, leaseMs, stalledAfterMs: 60_000 });
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
  await eventually(async () => (await toldOf(name, raw)) === 1);
  await client.getLock(name).isLocked();

  const sent = await commandsInWindow(traffic);

  expect(sent).toBeLessThanOrEqual(10);
  abort.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
  await hold.release();
  expect(await raw.exists(name)).toBe(0);
});

test.concurrent('waits for many locks share their re-checks, and still notice a key that went', async () => {
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
  await eventually(async () => {
    const told = await Promise.all(locks.map(async (lock) => await toldOf(lock, raw)));
    return told.every((count) => count === 1);
  });
  await quiet(traffic, client);
  // Gone without a message: only a re-check can tell.
  await raw.del(locks[7] ?? '');

  const before = traffic.scripts();
  await delay(windowMs);
  const sent = traffic.scripts() - before;

  // Five or six rounds of three heartbeats, and the confirmation of a grant.
  expect(sent).toBeLessThanOrEqual(20);
  expect(await Promise.race([waits[7], Promise.resolve('nothing yet')])).toMatchObject({
    isHeld: true,
  });
  abort.abort();
  await Promise.all(waits);
});

function thousand<T>(make: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 1_000 }, async (_, i) => await make(i)));
}

type Leases = Promise<readonly { readonly state: string }[]>;

/** Ways to hold a thousand leases. */
const holdings: [string, (client: Client, name: string) => Leases][] = [
  ['locks', (client, name) => thousand((i) => client.getLock(`${name}-${i}`).acquire())],
  ['readers', (client, name) => thousand(() => client.getReadWriteLock(name).readLock.acquire())],
  [
    'writers',
    (client, name) => thousand((i) => client.getReadWriteLock(`${name}-${i}`).writeLock.acquire()),
  ],
  [
    'permits',
    async (client, name) => {
      const semaphore = client.getPermitExpirableSemaphore(name);
      await semaphore.trySetPermits(1_000);
      return await semaphore.acquireMany(1_000);
    },
  ],
];

test.concurrent('a thousand renewed leases of one kind cost ten commands a round', async () => {
  const leaseMs = 6_000;
  const costs = holdings.map(async ([what, hold]) => {
    const traffic = await countedTraffic(server.url);
    await using client = clientOn(traffic.url, leaseMs);
    const holds = await hold(client, randomName('many'));
    await quiet(traffic, client);
    const sent = await commandsInWindow(traffic);
    return { what, sent, held: holds.filter(({ state }) => state === 'held').length };
  });

  // One round more may fall into the window than fits into it, and another where timers are late.
  const most = 10 * (windowMs / (leaseMs / 3) + 2);
  for (const { what, sent, held } of await Promise.all(costs)) {
    expect([what, held]).toEqual([what, 1_000]);
    expect(sent, what).toBeGreaterThan(0);
    expect(sent, what).toBeLessThanOrEqual(most);
  }
});

test.concurrent('an idle client sends nothing', async () => {
  const name = randomName('idle');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url, 6_000);
  await client.getLock(name).using(() => undefined);
  await quiet(traffic, client);

  const sent = await commandsInWindow(traffic);

  expect(sent).toBe(0);
});
