// What a client is told alone, on a bad line: that another client has ended what it holds.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, isSubscriber } from './world.js';

const open = faultWorlds('own-channel');

/** Of the tickets in a fair lock's queue: whether their client was seen to listen. */
async function seenTickets(raw: ReturnType<typeof rawClient>, name: string): Promise<boolean[]> {
  const tickets = Object.entries(await raw.hgetall(`redlatch_tickets:{${name}}`));
  return tickets.flatMap(([id, ticket]) => (id.includes(':') ? ticket.endsWith(' 1') : []));
}

test('a hold that was forced free while its client did not listen ends when it listens again', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const hold = await client.getLock(name).acquire();
  await eventually(() => proxy.connections().some(isSubscriber));
  // It looks at what it holds as soon as it listens; a later question is answered after that.
  await eventually(() => proxy.requests().filter((asked) => asked.includes(name)).length >= 2);
  await client.getLock(name).isLocked();

  proxy.refuse();
  proxy.cutAll(isSubscriber);
  await other.getLock(name).forceRelease();
  expect(hold.state).toBe('held');
  await proxy.accept();

  // Its next renewal would be 10 s later.
  await eventually(() => hold.state === 'lost');
});

test('a waiter of a fair lock that is not told of its grant has it, though one before it lost its entry', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const raw = rawClient();
  const hold = await other.getFairLock(name).acquire();
  const order: number[] = [];
  const turns: Promise<void>[] = [];
  for (const turn of [1, 2]) {
    // Nothing ends the grant that nobody knows of but this lease.
    const turnOf = async (): Promise<void> => {
      const own = await client.getFairLock(name).acquire({ leaseMs: 60_000, waitMs: 20_000 });
      order.push(turn);
      await own.release();
    };
    turns.push(turnOf());
    await eventually(async () => {
      expect(await raw.llen(`redisson_lock_queue:{${name}}`)).toBe(turn);
    });
  }
  await eventually(async () => {
    expect(await seenTickets(raw, name)).toContain(true);
  });
  const queue = `redisson_lock_queue:{${name}}`;
  const [first = '', second] = await raw.lrange(queue, 0, -1);
  for (const connection of proxy.connections().filter(isSubscriber)) {
    connection.down.swallows = true;
  }
  // With its next ask the first one would have an entry again.
  proxy.pauseUpstream();
  const losing = raw.multi().lrem(queue, 1, first);
  losing.zrem(`redisson_lock_timeout:{${name}}`, first);
  await losing.hdel(`redlatch_tickets:{${name}}`, first).exec();
  await hold.release();
  expect(await raw.hkeys(name)).toEqual([second]);
  proxy.resumeUpstream();
  proxy.cutAll(isSubscriber);
  await Promise.all(turns);

  // The grant of the second was there, and the first one goes first all the same.
  expect(order).toEqual([1, 2]);
});
