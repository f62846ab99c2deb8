// The subscriber loses its connection: no wake-up and no channel may get lost with it.

import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { latchChannel, listening as latchListening } from '../support/latch-channel.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, isSubscriber, listening, settledRequests, take, prepare } from './world.js';
import { kinds } from '../support/kinds/kinds.js';

const open = faultWorlds('subscriber');

/** Well below the re-check of 5 s: whoever gets in this fast was woken. */
const PROMPTLY_MS = 2_500;

const subscribes = ([command = '']: string[]): boolean => /^subscribe$/i.test(command);

async function promptly<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  return result;
}

describe.concurrent('a cut subscriber', () => {
  for (const kind of kinds) {
    test(`a waiter for a ${kind.what} gets in on resubscription`, async (context) => {
      const world = await open(context);
      const { proxy, name, client, other } = world;
      await prepare(kind, world);
      const held = await take(kind.rival(other, name), { leaseMs: 60_000 });
      let entered = false;
      const waiting = kind
        .get(client, name)
        .acquire()
        .finally(() => {
          entered = true;
        });
      await listening(name);

      proxy.refuse();
      proxy.cutAll(isSubscriber);
      await listening(name, 0);
      await held.release();
      if (!kind.hasHeartbeat) {
        expect(await kind.isFree(name)).toBe(true);
        expect(entered).toBe(false);
      }
      await proxy.accept();
      const grant = await promptly(waiting);

      await kind.expectIn(name, grant);
    });
  }

  test('is told to those who listen to errors', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const told: string[] = [];
    client.on('error', ({ error }) => told.push(error.message));
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const waiting = client.getLock(name).acquire();
    await listening(name);

    proxy.cutAll(isSubscriber);
    await eventually(() => told.length > 0);

    expect(told).toHaveLength(1);
    await held.release();
    await (await waiting).release();
  });

  test('a latch that opened while it was cut lets go on resubscription', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await other.getCountDownLatch(name).trySetCount(1);
    const waiting = client.getCountDownLatch(name).wait();
    await latchListening(rawClient(), name);

    proxy.refuse();
    proxy.cutAll(isSubscriber);
    await latchListening(rawClient(), name, 0);
    await other.getCountDownLatch(name).countDown();
    await other.getCountDownLatch(name).trySetCount(1);
    await proxy.accept();

    expect(await promptly(waiting)).toBe(true);
    await other.getCountDownLatch(name).delete();
  });

  test('a second cut in the middle of resubscribing forgets no channel', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const latch = other.getCountDownLatch(`${name}-latch`);
    await latch.trySetCount(1);
    const waiting = client.getLock(name).acquire();
    const passing = client.getCountDownLatch(latch.name).wait();
    await listening(name);
    await latchListening(rawClient(), latch.name);

    const resubscribing = proxy.holdRequests(subscribes);
    proxy.cutAll(isSubscriber);
    await eventually(() => resubscribing.held.length === 1);
    proxy.cutAll(isSubscriber);
    await eventually(() => resubscribing.held.length === 2);
    proxy.cutAll(isSubscriber);
    resubscribing.release();
    await listening(name);
    await latchListening(rawClient(), latch.name);
    // Both look again when the subscription is confirmed; after that only a message wakes them.
    await settledRequests(proxy, name);

    await held.release();
    await promptly(waiting);
    await latch.countDown();
    expect(await promptly(passing)).toBe(true);
  });

  test('cuts between the messages of many channels forget none of them', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const latches = Array.from({ length: 40 }, (_, i) => other.getCountDownLatch(`${name}-${i}`));
    await Promise.all(latches.map(async (latch) => await latch.trySetCount(1)));
    const waits = latches.map(({ name: each }) => client.getCountDownLatch(each).wait());
    await latchListening(rawClient(), `${name}-39`);

    const raw = rawClient();
    for (const [i, latch] of latches.entries()) {
      if (i % 8 === 0) {
        proxy.cutAll(isSubscriber);
      }
      await latch.countDown();
    }

    expect(new Set(await promptly(Promise.all(waits)))).toEqual(new Set([true]));
    const left = await raw.call('PUBSUB', 'NUMSUB', latchChannel(`${name}-0`));
    expect((left as [string, number])[1]).toBeLessThanOrEqual(1);
  });
});
