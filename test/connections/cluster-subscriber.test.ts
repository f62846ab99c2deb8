// Channels follow the masters of their slots: two servers stand for those, and the test moves the slot.

import { expect, onTestFinished, test } from 'vitest';
import { ClusterSubscriber } from '../../src/core/connection/cluster-subscriber.js';
import type { Address } from '../../src/core/connection/driver-types.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';

async function stage() {
  const servers = await Promise.all([ownServer(), ownServer()]);
  const raws = servers.map(({ url }) => rawClient(url));
  const addresses = servers.map(({ host, port }) => ({ host, port }));
  const world: { master: Address | undefined } = { master: undefined };
  const told: string[] = [];
  const subscriber = new ClusterSubscriber(
    { options: {}, readyLimitMs: 5_000 },
    systemEnvironment(),
    {
      health: { up: () => {}, down: () => {} },
      message: (channel: string, payload: string) => told.push(`${channel} ${payload}`),
      confirmed: (channel: string) => told.push(`confirmed ${channel}`),
      trouble: () => {},
      refused: () => {},
      fault: (error: Error) => told.push(error.message),
      masterOf: () => world.master,
      postAt: () => ({
        oneServer: new OneServer('', () => {}),
        publish: async () => await Promise.reject(new Error('nobody publishes here')),
        moved: () => {},
      }),
    } as never,
  );
  onTestFinished(() => subscriber.close());
  /** How many connections listen to the channel, on each server. */
  const listeners = async (): Promise<number[]> =>
    await Promise.all(raws.map(async (raw) => Number((await raw.pubsub('NUMSUB', 'a'))[1])));
  return { world, addresses, raws, told, subscriber, listeners };
}

test('a channel waits for its master to be known, and follows its slot to another one', async () => {
  const { world, addresses, raws, told, subscriber, listeners } = await stage();
  const [first, second] = addresses;

  subscriber.add('a');
  subscriber.move(false);
  expect([await listeners(), subscriber.isConfirmed('a')]).toEqual([[0, 0], false]);
  world.master = first;
  subscriber.move(false);
  await eventually(async () => expect(await listeners()).toEqual([1, 0]));
  // The server counts it before this side hears that.
  await eventually(() => subscriber.isConfirmed('a'));
  world.master = second;
  subscriber.move(false);
  await eventually(async () => expect(await listeners()).toEqual([0, 1]));
  await eventually(() => subscriber.isConfirmed('a'));
  await raws[1]?.publish('a', 'hello');
  await eventually(() => told.includes('a hello'));

  expect(told).toEqual(['confirmed a', 'confirmed a', 'a hello']);
});

test('a channel whose slot stays is left alone, and confirmed once', async () => {
  const { world, addresses, told, subscriber, listeners } = await stage();
  [world.master] = addresses;
  subscriber.move(false);
  subscriber.add('a');
  await eventually(() => subscriber.isConfirmed('a'));

  subscriber.move(false);
  subscriber.move(false);
  expect(await listeners()).toEqual([1, 0]);
  subscriber.remove('a');
  await eventually(async () => expect(await listeners()).toEqual([0, 0]));

  expect([told, subscriber.isConfirmed('a')]).toEqual([['confirmed a'], false]);
});
