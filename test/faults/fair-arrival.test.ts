// Who comes first gets a fair lock first, however long its subscription takes, also from a client to which
// locks are not handed on.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Client, type Hold } from '../../src/index.js';
import { fairLockRelease } from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  listening,
  rejection,
  runs,
  settledRequests,
  take,
  type World,
} from './world.js';

const open = faultWorlds('arrival');

/** Well below the 1.3 s after which a waiter polls. */
const PROMPTLY_MS = 800;

const LEFT = new Error('left');

/** Where a subscription gets stuck: the server has not got it, or the client no answer to it. */
const places = ['on its way to the server', 'on its way back'] as const;

interface Stuck {
  /** How many channels are asked for on connections that are stuck. */
  readonly channels: () => number;
  readonly release: () => void;
}

/** No subscription of the client behind the proxy is confirmed from now on. */
function stickSubscriptions({ proxy }: World, place: (typeof places)[number]): Stuck {
  let asked = 0;
  const handle = proxy.holdRequests(([command = '', ...channels], { down }) => {
    const subscribes = /^subscribe$/i.test(command);
    if (subscribes) {
      asked += channels.length;
      down.stop('paused');
    }
    return subscribes && place === 'on its way to the server';
  });
  return {
    channels: () => asked,
    release: () => {
      handle.release();
      proxy.resumeDownstream();
    },
  };
}

/** Waits until the wait queue has so many entries, and says whose. */
async function queued(name: string, count: number): Promise<string[]> {
  return await eventually(async () => {
    const queue = await rawClient().lrange(`redisson_lock_queue:{${name}}`, 0, -1);
    return queue.length === count && queue.map((holderId) => holderId.slice(0, 36));
  });
}

/** Releases each hold as soon as it is granted, and says in which order that was. */
async function serve(waits: readonly Promise<Hold>[]): Promise<number[]> {
  const served: number[] = [];
  await Promise.all(
    waits.map(async (wait, i) => {
      const hold = await wait;
      served.push(i);
      await hold.release();
    }),
  );
  return served;
}

const idsOf = (...clients: readonly Client[]): string[] => clients.map(({ id }) => id);

describe.concurrent.each(places)('a client whose subscription is stuck %s', (place) => {
  test('is handed the lock, and finds that by asking', async (context) => {
    const world = await open(context);
    const { proxy, name, client, other } = world;
    const held = await take(other.getFairLock(name));
    const stuck = stickSubscriptions(world, place);
    const first = client.getFairLock(name).acquire();
    await eventually(() => stuck.channels() >= 1);
    await settledRequests(proxy, name);
    const second = other.getFairLock(name).acquire();
    await queued(name, 2);

    await held.release();
    const releasedAt = performance.now();
    const hold = await first;

    expect(performance.now() - releasedAt).toBeLessThan(PROMPTLY_MS);
    await expectHolder(name, hold);
    await hold.release();
    await expectHolder(name, await second);
    stuck.release();
  });
});

describe.concurrent.each(places)('a waiter whose subscription is stuck %s', (place) => {
  test('is before whoever asks after it', async (context) => {
    const world = await open(context);
    const { name, client, other } = world;
    const held = await take(other.getFairLock(name));
    const stuck = stickSubscriptions(world, place);

    const first = client.getFairLock(name).acquire();
    await eventually(() => stuck.channels() >= 1);
    await queued(name, 1);
    const second = other.getFairLock(name).acquire();
    const waiting = await queued(name, 2);
    await held.release();
    stuck.release();
    const served = await serve([first, second]);

    expect(waiting).toEqual(idsOf(client, other));
    expect(served).toEqual([0, 1]);
  });

  test('has its place though others of its client wait before it', async (context) => {
    const world = await open(context);
    const { proxy, name, client, other } = world;
    const held = await take(other.getFairLock(name));
    const first = client.getFairLock(name).acquire();
    await listening(name);
    await settledRequests(proxy, name);
    const stuck = stickSubscriptions(world, place);

    const second = client.getFairLock(name).acquire();
    await eventually(() => stuck.channels() === 1);
    await queued(name, 2);
    const third = other.getFairLock(name).acquire();
    const waiting = await queued(name, 3);
    await held.release();
    stuck.release();
    const served = await serve([first, second, third]);

    expect(waiting).toEqual(idsOf(client, client, other));
    expect(served).toEqual([0, 1, 2]);
  });

  test('gets in as soon as it is confirmed when the one before it has left', async (context) => {
    const world = await open(context);
    const { proxy, name, client, other } = world;
    const held = await take(other.getFairLock(name));
    const abort = new AbortController();
    const leaving = rejection(client.getFairLock(name).acquire({ signal: abort.signal }));
    await listening(name);
    await settledRequests(proxy, name);
    const stuck = stickSubscriptions(world, place);

    const waiting = client.getFairLock(name).acquire();
    await eventually(() => stuck.channels() === 1);
    await queued(name, 2);
    abort.abort(LEFT);
    await leaving;
    await queued(name, 1);
    await held.release();
    const releasedAt = performance.now();
    stuck.release();
    const hold = await waiting;

    expect(performance.now() - releasedAt).toBeLessThan(PROMPTLY_MS);
    await expectHolder(name, hold);
  });

  test('leaves nothing when it gives up, and nobody waits for it', async (context) => {
    const world = await open(context);
    const { name, client, other } = world;
    const held = await take(other.getFairLock(name));
    const stuck = stickSubscriptions(world, place);
    const abort = new AbortController();

    const aborted = rejection(client.getFairLock(name).acquire({ signal: abort.signal }));
    const late = client.getFairLock(name).tryAcquire({ waitMs: 600 });
    await eventually(() => stuck.channels() === 2);
    await queued(name, 2);
    const behind = other.getFairLock(name).acquire();
    const waiting = await queued(name, 3);
    abort.abort(LEFT);
    await aborted;
    const tried = await late;
    const staying = await queued(name, 1);
    await held.release();
    const hold = await behind;
    stuck.release();

    expect(tried).toBeNull();
    expect(waiting).toEqual(idsOf(client, client, other));
    expect(staying).toEqual(idsOf(other));
    await expectHolder(name, hold);
  });
});

test('the waiters of two clients are served as they came, whoever waits in front', async (context) => {
  const world = await open(context);
  const { name, client, other } = world;
  const held = await take(other.getFairLock(name));
  const stuck = stickSubscriptions(world, 'on its way to the server');
  const order = [client, other, client, client, other, client, other, other, client];

  const waits: Promise<Hold>[] = [];
  for (const [i, each] of order.entries()) {
    waits.push(each.getFairLock(name).acquire());
    await queued(name, i + 1);
  }
  await held.release();
  stuck.release();
  const served = await serve(waits);

  expect(served).toEqual(order.map((_, i) => i));
});

test('a waiter that was never sent has nothing to take back', async (context) => {
  const { proxy, name, open: start } = await open(context);
  proxy.refuse();
  const client = start();

  const { error } = await rejection(client.getFairLock(name).acquire({ waitMs: 50 }));
  await proxy.accept();
  await client.getFairLock(name).using(() => undefined);

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(proxy.requests().filter(runs(fairLockRelease))).toHaveLength(1);
});
