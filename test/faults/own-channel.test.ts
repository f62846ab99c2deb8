// What a client is told alone, on a bad line: that another client has ended what it holds.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { faultWorlds, isSubscriber } from './world.js';

const open = faultWorlds('own-channel');

test('a hold that was forced free while its client did not listen ends when it listens again', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const hold = await client.getLock(name).acquire();
  await eventually(() => proxy.connections().some(isSubscriber));

  proxy.refuse();
  proxy.cutAll(isSubscriber);
  await other.getLock(name).forceRelease();
  expect(hold.state).toBe('held');
  await proxy.accept();

  // Its next renewal would be 10 s later.
  await eventually(() => hold.state === 'lost');
});
