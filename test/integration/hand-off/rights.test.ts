// Clients that cannot be told of their grants.

import { expect, onTestFinished, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import type { Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { skippingClock } from '../../support/skipping-clock.js';

const server = await ownServer();
const raw = rawClient(server.url);

async function open(
  user: string,
  rights: string[],
  clock = skippingClock(),
): Promise<{ client: Client; errors: string[] }> {
  const access = ['on', '>secret', '~*', '+@all'];
  await raw.call('ACL', 'SETUSER', user, 'reset', 'resetchannels', ...access, ...rights);
  const redis = `redis://${user}:secret@${server.host}:${server.port}`;
  const client = createClientOn({ clock }, { redis, handOff: 'strict' });
  onTestFinished(async () => await client.close());
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  return { client, errors };
}

/** So many clients stand in the line of a lock. */
async function inLine(name: string, count: number): Promise<void> {
  await eventually(async () => (await raw.llen(`redlatch_line:{${name}}`)) === count);
}

test.each([
  ['may not listen to its own channel', ['&redisson*']],
  ['may not ask who listens', ['&*', '-pubsub']],
])(
  'a client that %s gets in by asking, in its turn, and reports that once',
  async (what, rights) => {
    const clock = skippingClock();
    const { client, errors } = await open(what.replaceAll(' ', '-'), rights, clock);
    const { client: other } = await open('able', ['&*']);
    const reports = (): number =>
      errors.filter((message) => message.includes('asks for locks every 250 ms')).length;

    const name = randomName('unseen');
    const hold = await other.getLock(name).acquire({ leaseMs: 600_000 });
    const waiting = client.getLock(name).acquire();
    // A quarter of a second passes at each look: the client is sure after six.
    await clock.lapse(() => reports() === 1);
    await hold.release();
    await (await waiting).release();

    for (let i = 0; i < 2; i += 1) {
      const object = randomName('unseen');
      const held = await other.getLock(object).acquire();
      const served: string[] = [];
      const first = client.getLock(object).using(() => served.push('unseen'));
      await inLine(object, 1);
      const second = other.getLock(object).using(() => served.push('other'));
      await held.release();
      await Promise.all([first, second]);
      expect(served).toEqual(['unseen', 'other']);
    }
    expect(reports()).toBe(1);
  },
);
