// What waiting for each kind of object costs, and what is told of a wait that lasts. These tests
// watch for ten seconds and more, side by side.

import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient, type Client, type WaitOptions } from '../../../src/index.js';
import { lockInspect } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { randomName } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic, quiet } from '../../support/traffic.js';
import { leasedKinds } from '../../support/kinds/kinds.js';
import { readLock, writeLock } from '../../support/kinds/locks.js';
import { objectKinds, type ObjectKind } from '../../support/kinds/objects.js';

const windowMs = 10_000;
const server = await ownServer();

/** Ends at the end of the test that made it: the tests of this file run side by side. */
function clientOn(url: string, leaseMs = 30_000): Client {
  return createClient({ redis: url, leaseMs });
}

/** Commands in ten seconds: a re-check every 5 s, or for who stands in a line every 1.3 s. */
function allowed({ id }: ObjectKind): number {
  // Readers and writers wait each by themselves.
  return id === 'read-write-lock' ? 20 : 10;
}

/** What two hundred waiters of one process send in ten seconds. */
async function costOfWaiting(kind: ObjectKind): Promise<number> {
  const name = randomName('herd');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url);
  await using holder = clientOn(server.url);
  const taken = await kind.take(holder, name);
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const waits = Array.from(
    { length: 200 },
    async () => await kind.wait(client, name, { signal: abort.signal }).catch(() => 'aborted'),
  );
  await quiet(traffic);
  const before = traffic.names().length;

  await delay(windowMs);

  const sent = traffic.names().length - before;
  abort.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
  await taken.remove();
  return sent;
}

test.concurrent('two hundred waiters for one object of any kind send next to nothing', async () => {
  const costs = await Promise.all(
    objectKinds.map(async (kind) => ({ kind, sent: await costOfWaiting(kind) })),
  );

  const tooMuch = costs.filter(({ kind, sent }) => sent > allowed(kind));
  expect(tooMuch.map(({ kind, sent }) => `${kind.id}: ${sent}`)).toEqual([]);
});

interface Stall {
  readonly id: string;
  /** Holds it, and says as whom; nobody holds a count. */
  hold(client: Client, name: string): Promise<string | undefined>;
  wait(client: Client, name: string, options: WaitOptions): Promise<unknown>;
}

const none = (): void => undefined;

const stalls: Stall[] = [
  ...leasedKinds.map(({ id, create, get, rival, idOf }) => ({
    id,
    async hold(client: Client, name: string) {
      await create(client, name);
      return idOf(await rival(client, name).acquire());
    },
    wait: async (client: Client, name: string, options: WaitOptions) =>
      await get(client, name).acquire(options),
  })),
  {
    id: 'write-lock',
    hold: async (client, name) => (await readLock.get(client, name).acquire()).holderId,
    wait: async (client, name, options) => await writeLock.get(client, name).acquire(options),
  },
  {
    id: 'semaphore',
    async hold(client, name) {
      await client.getSemaphore(name).trySetPermits(0);
      return undefined;
    },
    wait: async (client, name, options) => await client.getSemaphore(name).using(none, options),
  },
  {
    id: 'count-down-latch',
    async hold(client, name) {
      await client.getCountDownLatch(name).trySetCount(1);
      return undefined;
    },
    wait: async (client, name, options) => await client.getCountDownLatch(name).wait(options),
  },
];

/** The first such event of a wait, and what it has to be. */
async function stallOf(stall: Stall): Promise<unknown[]> {
  const { id } = stall;
  const name = randomName('stalled');
  await using client = clientOn(server.url, 100);
  await using holder = clientOn(server.url);
  const holderId = await stall.hold(holder, name);
  const stalled: unknown[] = [];
  client.on('stalled', (event) => stalled.push(event));
  const abort = new AbortController();
  const caught = stall
    .wait(client, name, { signal: abort.signal })
    .catch((error: unknown) => error);

  await eventually(() => stalled.length > 0, { withinMs: 15_000, everyMs: 50 });
  abort.abort(new Error('seen enough'));

  expect(await caught).toBe(abort.signal.reason);
  const number = expect.any(Number) as number;
  const holders = holderId === undefined ? [] : [{ holderId, depth: 1, remainingMs: number }];
  return [stalled, [{ resource: name, kind: id, waitedMs: number, holders }]];
}

test.concurrent('a wait of more than ten seconds is told with who is in the way', async () => {
  const events = await Promise.all(stalls.map(stallOf));

  expect(events.map(([told]) => told)).toEqual(events.map(([, expected]) => expected));
});

test.concurrent('a wait is told as stalled when it has lasted ten seconds', async () => {
  const name = randomName('stalled');
  await using client = clientOn(server.url, 100);
  await using holder = clientOn(server.url);
  await holder.getLock(name).acquire();
  const waited: number[] = [];
  client.on('stalled', ({ waitedMs }) => waited.push(waitedMs));

  await client.getLock(name).tryAcquire({ waitMs: 12_000 });

  expect(waited).toHaveLength(1);
  expect(waited[0]).toBeGreaterThanOrEqual(9_900);
});

test.concurrent('a thousand waits that last are told with one look at the holders', async () => {
  const name = randomName('stalled');
  const traffic = await countedTraffic(server.url);
  await using client = clientOn(traffic.url, 100);
  await using holder = clientOn(server.url);
  const { holderId } = await holder.getLock(name).acquire();
  const holders: unknown[] = [];
  client.on('stalled', (event) => holders.push(event.holders));
  const lock = client.getLock(name);
  const waits = Array.from({ length: 1_000 }, async () => await lock.acquire().catch(none));

  await eventually(() => holders.length >= 1_000, { withinMs: 15_000, everyMs: 50 });
  const looks = traffic.proxy
    .requests()
    .filter(([, what]) => what === lockInspect.sha1 || what === lockInspect.source);
  await client.close();
  await Promise.all(waits);

  expect(looks).toHaveLength(1);
  expect(holders).toHaveLength(1_000);
  expect(holders[999]).toMatchObject([{ holderId, depth: 1 }]);
});
