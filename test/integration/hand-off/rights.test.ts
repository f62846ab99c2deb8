// Clients that cannot be told of their grants.

import { expect, onTestFinished, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import type { Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, randomName, rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { skippingClock } from '../../support/skipping-clock.js';

const server = await ownServer();
const raw = rawClient(server.url);

async function open(
  user: string,
  rights: string[],
  clock = skippingClock(),
): Promise<{ client: Client; errors: string[] }> {
  await raw.call('ACL', 'SETUSER', user, 'reset', 'on', '>secret', '~*', '+@all', ...rights);
  const redis = `redis://${user}:secret@${server.host}:${server.port}`;
  const client = createClientOn({ clock }, { redis, handOff: 'strict' });
  onTestFinished(async () => await client.close());
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  return { client, errors };
}

test.each([
  ['may not listen to its own channel', ['&redisson*']],
  ['may not ask who listens', ['&*', '-pubsub']],
])('a client that %s races, and says so once', async (what, rights) => {
  const clock = skippingClock();
  const { client, errors } = await open(what.replaceAll(' ', '-'), rights, clock);
  const { client: other } = await open('able', ['&*']);
  const told = (): number =>
    errors.filter((message) => message.includes('it races for them')).length;

  const name = randomName('blind');
  const hold = await other.getLock(name).acquire({ leaseMs: 600_000 });
  const waiting = client.getLock(name).acquire();
  // A quarter of a second passes at each look: the client is sure after six.
  await clock.lapse(() => told() === 1);
  await hold.release();
  await (await waiting).release();

  for (let i = 0; i < 2; i += 1) {
    const object = randomName('blind');
    const held = await other.getLock(object).acquire();
    const raced = client.getLock(object).acquire();
    // It listens to the channel of the lock, as those that race do, and stands in no line.
    await eventually(async () => (await channelsUnder(object, raw)).length > 0);
    expect(await raw.exists(`redlatch_line:{${object}}`)).toBe(0);
    await held.release();
    await (await raced).release();
  }
  expect(told()).toBe(1);
});
