// Connections that are cut all the time, while locks are held, waited for and handed on.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { latchChannel, listening as latchListening } from '../support/latch-channel.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, listening, take, type World, prepare } from './world.js';
import { fairLock, lock, writeLock } from '../support/kinds/locks.js';
import { leasedKinds } from '../support/kinds/kinds.js';
import { permit, semaphore } from '../support/kinds/permits.js';
import type { Kind } from '../support/kinds/kind.js';

const open = faultWorlds('storm');

const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeAll(() => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});

afterAll(() => {
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
});

/** Cuts every connection 60 times in 3 s, the client's handshakes included. */
async function storm({ proxy }: World): Promise<number> {
  let cuts = 0;
  for (let i = 0; i < 60; i += 1) {
    cuts += proxy.cutAll();
    await delay(50);
  }
  return cuts;
}

/** What is used in turns during the storm. */
const shared: readonly Kind[] = [lock, fairLock, writeLock, permit, semaphore];

/** Owners who take turns; what they count tells whether two were ever inside at once. */
class Turns {
  taken = 0;
  most = 0;
  #inside = 0;

  async take(work: () => Promise<void>): Promise<void> {
    this.#inside += 1;
    this.most = Math.max(this.most, this.#inside);
    this.taken += 1;
    await work();
    this.#inside -= 1;
  }
}

test.concurrent('a storm of cuts loses no hold, no waiter, no channel and no error', async (context) => {
  // On a slow machine no answer may come between two cuts: a lease outlasts the storm, and is renewed
  // in what is left of it.
  const world = await open(context, { leaseMs: 4_500, commandTimeoutMs: 20_000 });
  const { name, client, other } = world;
  const nameOf = (kind: Kind): string => `${name}-shared-${shared.indexOf(kind)}`;
  const lost: string[] = [];
  client.on('lost', ({ resource }) => lost.push(resource));
  const holds = await Promise.all(
    leasedKinds.map(async (kind) => {
      const own = `${name}-${kind.what.replace(' ', '-')}`;
      await prepare(kind, world, own);
      const hold = await take(kind.get(client, own));
      return { hold, isIn: async () => await kind.expectIn(own, hold) };
    }),
  );
  const allTurns = await Promise.all(
    shared.map(async (kind) => {
      await prepare(kind, world, nameOf(kind));
      return { kind, turns: new Turns() };
    }),
  );
  const use = async (from: Client, kind: Kind, turns: Turns): Promise<void> => {
    for (let i = 0; i < 5; i += 1) {
      const hold = await kind.get(from, nameOf(kind)).acquire();
      await turns.take(async () => {
        await delay(10);
      });
      await hold.release();
    }
  };
  const latch = client.getCountDownLatch(`${name}-latch`);
  await latch.trySetCount(50);
  const passing = [latch.wait(), latch.wait()];

  const users = allTurns.flatMap(({ kind, turns }) =>
    [client, client, client, other].map(async (from) => await use(from, kind, turns)),
  );
  const storming = storm(world);
  const counting = (async () => {
    for (let i = 0; i < 50; i += 1) {
      await latch.countDown();
    }
  })();
  const [cuts] = await Promise.all([storming, counting, ...users]);

  // On a slow machine a connection may not stand yet when the next cut comes.
  expect(cuts).toBeGreaterThanOrEqual(30);

  for (const { kind, turns } of allTurns) {
    expect(turns, kind.what).toMatchObject({ taken: 20, most: 1 });
  }
  expect(await Promise.all(passing)).toEqual([true, true]);
  expect(lost).toEqual([]);
  await eventually(() => holds.every(({ hold }) => hold.state === 'held'));
  await Promise.all(holds.map(async ({ isIn }) => await isIn()));
  expect(unhandled).toEqual([]);
});

test.concurrent('after a storm a message still wakes those who waited through it', async (context) => {
  const world = await open(context);
  const { name, client, other } = world;
  const latch = other.getCountDownLatch(`${name}-latch`);
  await latch.trySetCount(1);
  const scenes = await Promise.all(
    [lock, semaphore, permit].map(async (kind, i) => {
      const own = `${name}-${i}`;
      await prepare(kind, world, own);
      const held = await take(kind.rival(other, own), { leaseMs: 60_000 });
      const waiting = kind.get(client, own).acquire();
      await listening(own);
      return { own, held, waiting };
    }),
  );
  const passing = client.getCountDownLatch(latch.name).wait();
  await latchListening(rawClient(), latch.name);

  await storm(world);
  await Promise.all(scenes.map(async ({ own }) => await listening(own)));
  await latchListening(rawClient(), latch.name);
  // The looks that follow the last subscription are over: from here on only a message wakes.
  await client.getLock(name).isLocked();
  const releasedAt = performance.now();
  await Promise.all([...scenes.map(async ({ held }) => await held.release()), latch.countDown()]);
  await Promise.all([...scenes.map(async ({ waiting }) => await waiting), passing]);

  expect(performance.now() - releasedAt).toBeLessThan(2_000);
  const channels = await rawClient().call('PUBSUB', 'NUMSUB', latchChannel(latch.name));
  expect((channels as [string, number])[1]).toBeLessThanOrEqual(1);
  expect(unhandled).toEqual([]);
});
