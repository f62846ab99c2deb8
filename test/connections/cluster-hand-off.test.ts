// Locks that are handed on in a cluster: a client is told of its grants in the slot of the lock.

import { afterAll, describe, expect, test } from 'vitest';
import type { Client, Hold } from '../../src/index.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { ear } from '../support/contended-stage.js';
import { eventually } from '../support/eventually.js';
import { titled, type ExclusiveLock } from '../support/kinds/kind.js';
import { fairLock, fencedLock, lock, writeLock } from '../support/kinds/locks.js';
import { messagesOn } from '../support/messages.js';
import { channelsUnder } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { moveSlot } from './move-slot.js';

const MASTERS = 3;
const world = await clusterWorld({ masters: MASTERS });
const template = world.template();
const masters = [0, 1, 2].map((index) => world.node(index));

afterAll(() => template.disconnect());

const open = (handOff: 'direct' | 'strict' = 'strict'): Client =>
  openClient({ redis: template, handOff });

/** A waiter, of which its server knows that its client listens. */
async function waits(
  kind: ExclusiveLock,
  client: Client,
  name: string,
  master: number,
): Promise<{ hold: Promise<Hold> }> {
  const hold = kind.get(client, name).acquire();
  hold.catch(() => undefined);
  await eventually(async () => {
    const tickets = await world.node(master).hgetall(`redlatch_tickets:{${name}}`);
    const own = Object.entries(tickets).find(([id]) => id.startsWith(client.id));
    // When it was heard of, its window, whether its client listens, and where; of a fair lock less.
    return own !== undefined && / 1(?: [01])?$/u.test(own[1]);
  });
  return { hold };
}

const holderOn = async (name: string, master: number): Promise<string> =>
  (await world.node(master).hkeys(name)).find((field) => field !== 'mode') ?? '';

describe.each(titled([lock, fencedLock, fairLock, writeLock]))('a %s', (_, kind) => {
  test.each([0, 1, 2])('goes to the client that waits, on master %i', async (master) => {
    const name = world.nameOn(master);
    const [a, b, c] = [open(), open(), open()];
    const hold = await kind.get(a, name).acquire();
    const one = await waits(kind, b, name, master);
    const two = await waits(kind, c, name, master);

    await hold.release();
    expect(await holderOn(name, master)).toContain(b.id);
    const next = await one.hold;
    expect(next.isHeld).toBe(true);
    await next.release();
    expect(await holderOn(name, master)).toContain(c.id);
    await (await two.hold).release();

    expect(await world.node(master).exists(name)).toBe(0);
  });

  test('follows its slot, and goes to the client that waits over there', async () => {
    const name = world.nameOn(0);
    const [a, b] = [open(), open()];
    const hold = await kind.get(a, name).acquire();
    const { hold: waiting } = await waits(kind, b, name, 0);

    const [from, to] = [world.node(0), world.node(1)];
    await moveSlot(masters, slotOf(name), from, to);
    const own = `redlatch:${b.id}:{${name}}`;
    await eventually(
      async () => ((await to.call('PUBSUB', 'SHARDNUMSUB', own)) as unknown[])[1] === 1,
    );
    await hold.release();
    const next = await waiting;

    expect(Object.keys(await to.hgetall(name))).toContain(kind.field(next.holderId));
    await next.release();
    await moveSlot(masters, slotOf(name), to, from);
  });

  test('is passed on inside a client', async () => {
    const name = world.nameOn(2);
    const client = open('direct');
    const order: string[] = [];

    await Promise.all(
      Array.from({ length: 200 }, async () => {
        await kind.get(client, name).using(({ holderId }) => void order.push(holderId));
      }),
    );

    expect(order).toHaveLength(200);
    if (kind !== fairLock) {
      expect(new Set(order).size).toBeLessThan(100);
    }
  });
});

test('one waiter in each of two clients costs three scripts a turn at most', async () => {
  const name = world.nameOn(2);
  const raw = world.node(2);
  const turns = 100;
  const runs = async (): Promise<number> => {
    const stats = await raw.info('commandstats');
    const calls = stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gmu);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const contend = async (client: Client, count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      await client.getLock(name).using(async () => await raw.ping());
    }
  };
  const clients = [open(), open()];
  // Until both of them listen there.
  await Promise.all(clients.map(async (client) => await contend(client, 20)));

  const before = await runs();
  await Promise.all(clients.map(async (client) => await contend(client, turns)));

  expect((await runs()) - before).toBeLessThan(2 * turns * 3.2);
});

test('a client listens in the slot of a lock for as long as it waits there, and a second longer', async () => {
  const name = world.nameOn(1);
  const [a, b] = [open(), open()];
  const own = `redlatch:${b.id}:{${name}}`;
  const hold = await a.getLock(name).acquire();
  const { hold: waiting } = await waits(lock, b, name, 1);
  const subscribed = async (): Promise<boolean> =>
    ((await world.node(1).call('PUBSUB', 'SHARDCHANNELS', own)) as string[]).length > 0;

  expect(await subscribed()).toBe(true);
  const openly = await messagesOn(`redlatch:${b.id}`, { url: world.servers[1]!.url });
  await hold.release();
  await (await waiting).release();

  await eventually(async () => !(await subscribed()));
  expect(openly).toEqual([]);
});

test.each(titled([lock, fencedLock, fairLock, writeLock]))(
  'the holder of a %s that listens hears in the slot of the lock that another client waits, until its end',
  async (_, kind) => {
    const name = world.nameOn(1);
    const [a, b] = [open(), open()];
    const own = `redlatch:${a.id}:{${name}}`;
    const subscribed = async (): Promise<boolean> =>
      ((await world.node(1).call('PUBSUB', 'SHARDCHANNELS', own)) as string[]).length > 0;
    const hold = await kind.get(a, name).acquire();
    expect(await subscribed()).toBe(false);
    const heard = ear();
    hold.onContended(heard.listener);
    await eventually(subscribed);
    // One of its own that waits and leaves does not end that.
    expect(await kind.get(a, name).tryAcquire({ waitMs: 50 })).toBeNull();

    const { hold: waiting } = await waits(kind, b, name, 1);

    await eventually(() => heard.calls === 1);
    await hold.release();
    await (await waiting).release();
    await eventually(async () => !(await subscribed()));
  },
);

test('nothing is left on any master', async () => {
  for (const master of [0, 1, 2]) {
    await eventually(
      async () => (await channelsUnder('redlatch', world.node(master))).length === 0,
    );
  }
});
