// What a fair lock costs the server.

import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic } from '../../support/traffic.js';
import { FairView } from './fair.js';

const scope = testScope('fair-cost');
const server = await ownServer();
const raw = rawClient(server.url);

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_/], client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

const script = expect.stringMatching(/^eval(?:sha)?$/) as string;

/** Microseconds that the server has spent in scripts. */
async function scriptTimeUs(): Promise<number> {
  const stats = await raw.info('commandstats');
  const times = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/gm)];
  return times.reduce((sum, [, usec]) => sum + Number(usec), 0);
}

/** Server time per grant while so many waiters stand in the queue all the time. */
async function timePerGrantUs(waiters: number, grants: number): Promise<number> {
  const view = new FairView(raw, scope.name());
  const client = scope.client({ redis: server.url });
  const lock = client.getFairLock(view.name);
  const first = await lock.acquire();
  let left = grants;
  const loops = Array.from({ length: waiters }, async () => {
    for (; left > 0; left -= 1) {
      const hold = await lock.acquire();
      await hold.release();
    }
  });
  await view.queued(waiters);
  const before = await scriptTimeUs();
  await first.release();
  await eventually(() => left <= 0);
  const spent = (await scriptTimeUs()) - before;
  await Promise.all(loops);
  await client.close();
  return spent / grants;
}

test('acquiring and releasing a free fair lock are two commands', async () => {
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getFairLock(scope.name());

  await lock.using(() => undefined);
  await lock.using(() => undefined);

  expect(traffic.names()).toEqual(Array.from({ length: 4 }, () => script));
});

test('an attempt without waiting at a lock that is held is one command', async () => {
  const name = scope.name();
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getFairLock(name);
  const held = await scope.client({ redis: server.url }).getFairLock(name).acquire();

  const tried = [await lock.tryAcquire(), await lock.tryAcquire({ waitMs: 0 })];

  expect(tried).toEqual([null, null]);
  expect(traffic.names()).toEqual([script, script]);
  await held.release();
});

test('a waiter asks twice at most, also if its client has listened to its own channel only since then', async () => {
  const view = new FairView(raw, scope.name());
  const traffic = await countedTraffic(server.url);
  const client = scope.client({ redis: traffic.url });
  const held = await scope.client({ redis: server.url }).getFairLock(view.name).acquire();
  const waiters = 100;

  const waits = Array.from({ length: waiters }, async () => {
    await client.getFairLock(view.name).using(() => undefined);
  });
  const [first = ''] = await view.queued(waiters);
  // It has asked again, since its client has begun to listen after it had asked.
  await eventually(async () => (await raw.hget(view.tickets, first))?.endsWith(' 1') === true);
  await held.release();
  await Promise.all(waits);

  // Mostly once, with a release for each run of 16. Where the first run ends before the next waiter has asked
  // again, each one asks again, and each turn has a release.
  expect(traffic.scripts()).toBeLessThanOrEqual(3.1 * waiters);
});

test('waiters that take turns in one client ask once each, and confirm each grant', async () => {
  const name = scope.name();
  const traffic = await countedTraffic(server.url);
  const lock = scope.client({ redis: traffic.url }).getFairLock(name);
  const cycles = 100;

  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (let i = 0; i < cycles; i += 1) {
        await lock.using(async () => await delay(2));
      }
    }),
  );

  // The release included, and a heartbeat or two of a slow machine.
  expect(traffic.scripts()).toBeLessThanOrEqual(3 * 2 * cycles + 5);
});

test('Q7: a grant costs as much with a thousand waiters as with ten', async () => {
  await timePerGrantUs(10, 500);

  const few = Math.min(await timePerGrantUs(10, 1_000), await timePerGrantUs(10, 1_000));
  const many = Math.min(await timePerGrantUs(1_000, 1_000), await timePerGrantUs(1_000, 1_000));

  expect(many / few).toBeLessThan(2);
});

test('Q10: a thousand waiters listen to two channels at most', async () => {
  const view = new FairView(raw, scope.name());
  const client = scope.client({ redis: server.url });
  const abort = new AbortController();
  setMaxListeners(1_000, abort.signal);
  const holder = await scope.client({ redis: server.url }).getFairLock(view.name).acquire();
  const waits = Array.from({ length: 1_000 }, async () => {
    await client.getFairLock(view.name).acquire({ signal: abort.signal });
  });
  await view.queued(1_000);

  const listening = String(await raw.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
  abort.abort();
  await Promise.allSettled(waits);

  const channels = [...listening.matchAll(/ sub=(\d+)/g)].map(([, count]) => Number(count));
  // The own channel of its client, and that of the first one until the holder is known to listen.
  expect(Math.max(...channels)).toBeLessThanOrEqual(2);
  await holder.release();
});

test('a client that may not subscribe gets in all the same', async () => {
  await raw.acl('SETUSER', 'deaf', 'on', '>pw', '~*', '&*', '+@all', '-subscribe');
  const view = new FairView(raw, scope.name());
  const url = server.url.replace('redis://', 'redis://deaf:pw@');
  const deaf = scope.client({ redis: url });
  deaf.on('error', () => undefined);
  const hold = await deaf.getFairLock(view.name).acquire();
  const waits = [deaf.getFairLock(view.name).acquire(), deaf.getFairLock(view.name).acquire()];
  await view.queued(2);
  await hold.release();

  const [first, second] = waits;
  await (await first)?.release();
  await (await second)?.release();

  await view.queued(0);
});
