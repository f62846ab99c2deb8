// A cluster whose pub/sub is not sharded for us, whose slots are just moving, whose replicas must
// not be read from, and whose masters are slow or die with what they were told.

import { beforeAll, describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Client, type ClientOptions } from '../../src/index.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { eventually } from '../support/eventually.js';
import { channelsUnder, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';
import { cutClients, openClient } from './exercise.js';

const MASTERS = 3;
const LEASE_MS = 600;
const SOMEBODY = '33333333-3333-4333-8333-333333333333:1';

const world = await clusterWorld({ masters: MASTERS, replicas: MASTERS, nodeTimeoutMs: 2_000 });

const open = (options: ClientOptions = {}): Client =>
  openClient({ redis: world.template(), ...options });

const everyNode = (): number[] => world.servers.map((_, index) => index);

const isHeardOn = async (name: string, master: number): Promise<boolean> =>
  (await channelsUnder(name, world.node(master))).length > 0;

describe('without sharded pub/sub', () => {
  const user = { username: 'unsharded', password: 'secret' };
  const openUnsharded = (): Client => open({ redis: world.template(user) });

  beforeAll(async () => {
    const sharded = ['-spublish', '-ssubscribe', '-pubsub|shardnumsub'];
    const rights = ['reset', 'on', '>secret', '~*', '&*', '+@all', ...sharded];
    await Promise.all(
      everyNode().map(
        async (index) => await world.node(index).call('ACL', 'SETUSER', user.username, ...rights),
      ),
    );
  });

  test.each([0, 1, 2])('the very first call of a client can tell, on master %i', async (master) => {
    const name = world.nameOn(master);
    await world.node(master).hset(name, SOMEBODY, 1);

    // Made before any node has said what kind of pub/sub there is.
    const freed = await openUnsharded().getLock(name).forceRelease();
    const set = await openUnsharded().getCountDownLatch(name).trySetCount(1);
    await openUnsharded().getCountDownLatch(name).countDown();

    expect([freed, set]).toEqual([true, true]);
    expect(await world.node(master).exists(name)).toBe(0);
  });

  test.each([0, 1, 2])('a waiter is woken by a plain message, on master %i', async (master) => {
    const name = world.nameOn(master);
    const hold = await openUnsharded().getLock(name).acquire();
    const lock = openUnsharded().getLock(name);
    // It has learnt that messages are not sharded: a message makes it ask at once.
    expect(await lock.isLocked()).toBe(true);
    const waiting = lock.acquire({ waitMs: 4_000 });
    const channel = `redisson_lock__channel:{${name}}`;
    const plain = async (): Promise<unknown> =>
      await world.node(master).call('PUBSUB', 'CHANNELS', channel);
    await eventually(async () => {
      expect(await plain()).toEqual([channel]);
    });

    await hold.release();
    const next = await waiting;

    expect(Object.keys(await world.node(master).hgetall(name))).toEqual([next.holderId]);
    await next.release();
  });
});

test('after a cut all channels of one master are heard again, and no error is told', async () => {
  const [a, b] = [open(), open()];
  const names = Array.from({ length: 5 }, () => world.nameOn(1));
  const errors: string[] = [];
  b.on('error', ({ error }) => errors.push(error.message));
  const holds = await Promise.all(names.map(async (name) => await a.getLock(name).acquire()));
  const waits = names.map(async (name) => await b.getLock(name).acquire({ waitMs: 4_500 }));
  const heard = async (): Promise<boolean> =>
    (await Promise.all(names.map(async (name) => await isHeardOn(name, 1)))).every(Boolean);
  await eventually(heard);

  await cutClients(world.node(1));
  await eventually(heard);
  await Promise.all(holds.map(async (hold) => await hold.release()));
  const next = await Promise.all(waits);

  expect(next.every((hold) => hold.isHeld)).toBe(true);
  expect(errors.filter((message) => message.includes('CROSSSLOT'))).toEqual([]);
  await Promise.all(next.map(async (hold) => await hold.release()));
});

test('nothing is asked of a replica, and nothing listens there', async () => {
  const replicas = everyNode().slice(MASTERS);
  await Promise.all(
    replicas.map(async (index) => await world.node(index).call('CONFIG', 'RESETSTAT')),
  );
  const client = open();

  for (const master of [0, 1, 2]) {
    const name = world.nameOn(master);
    const lock = client.getLock(name);
    const hold = await lock.acquire();
    await lock.isLocked();
    await lock.holders();
    await lock.remainingLeaseMs();
    const acquiring = open().getLock(name).acquire();
    await eventually(() => isHeardOn(name, master));
    await hold.release();
    await (await acquiring).release();
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(1);
    const waiting = latch.wait();
    await latch.count();
    await latch.countDown();
    await waiting;
  }

  for (const index of replicas) {
    const stats = await world.node(index).info('commandstats');
    const commands = [...stats.matchAll(/^cmdstat_([^:]+):/gm)].map(([, command]) => command);
    // What a replica is fed are the effects of scripts, never the scripts.
    const ours = /^(?:eval|evalsha|readonly|s?subscribe|hgetall|pttl|hexists|get)(?:_ro)?$/;
    expect(commands.filter((command) => ours.test(command ?? ''))).toEqual([]);
  }
});

/** Starts moving a slot: the keys are on the target, the slot is still the source's. */
async function halfMove(slot: number, from: number, to: number): Promise<() => Promise<void>> {
  const [source, target] = [world.node(from), world.node(to)];
  const [sourceId, targetId] = [await source.cluster('MYID'), await target.cluster('MYID')];
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
  const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
  if (keys.length > 0) {
    const { host, port } = world.servers[to] ?? { host: '', port: 0 };
    await source.call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', ...keys);
  }
  return async () => {
    for (const node of [target, source, world.node(MASTERS - from - to)]) {
      await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
    }
  };
}

describe('while a slot moves, and its keys are over there already', () => {
  test('a hold is seen and renewed over there', async () => {
    const name = world.nameOn(0);
    const client = open({ leaseMs: LEASE_MS });
    const told: string[] = [];
    client.on('lost', () => told.push('lost'));
    const hold = await client.getLock(name).acquire();

    const finish = await halfMove(slotOf(name), 0, 1);
    const locked = await client.getLock(name).isLocked();
    const end = performance.now() + 3 * LEASE_MS;
    await eventually(() => performance.now() > end);
    const state = hold.state;
    await finish();
    await hold.release();

    expect([locked, state]).toEqual([true, 'held']);
    expect(told).toEqual([]);
    expect(await world.node(1).exists(name)).toBe(0);
  });

  test('a release and an acquisition are carried out when the slot has moved', async () => {
    const name = world.nameOn(0);
    const [a, b] = [open(), open()];
    const hold = await a.getLock(name).acquire();
    await b.getLock(name).isLocked();

    const finish = await halfMove(slotOf(name), 0, 1);
    // These have two keys, of which one exists: the server says to try again.
    const releasing = hold.release();
    const acquiring = b.getLock(name).acquire();
    const given = await open({ redis: world.template(), commandTimeoutMs: 300 })
      .getLock(name)
      .tryAcquire()
      .catch((error: unknown) => error);
    await finish();
    await releasing;
    const next = await acquiring;

    expect(given).toBeInstanceOf(CommandTimeoutError);
    expect(await world.node(1).hgetall(name)).toEqual({ [next.holderId]: '1' });
    await next.release();
  });

  test('a free lock is taken and given back over there', async () => {
    const name = world.nameOn(0);
    const client = open();
    await client.getLock(name).isLocked();

    const finish = await halfMove(slotOf(name), 0, 1);
    const acquiring = client.getLock(name).acquire();
    await finish();
    const hold = await acquiring;
    const stored = await world.node(1).hgetall(name);
    await hold.release();

    expect(stored).toEqual({ [hold.holderId]: '1' });
    expect(await world.node(1).exists(name)).toBe(0);
  });
});

test('a master that does not answer delays no renewal on the others', async () => {
  const client = open({ leaseMs: LEASE_MS });
  const told: string[] = [];
  const names = [0, 1, 2, 1, 2].map((master) => world.nameOn(master));
  client.on('suspect', ({ resource }) => told.push(resource));
  client.on('lost', ({ resource }) => told.push(resource));
  const holds = await Promise.all(names.map(async (name) => await client.getLock(name).acquire()));

  world.servers[0]?.signal('SIGSTOP');
  try {
    const end = performance.now() + 2 * LEASE_MS;
    await eventually(() => performance.now() > end);
  } finally {
    world.servers[0]?.signal('SIGCONT');
  }

  expect(new Set(told)).toEqual(new Set([names[0]]));
  expect(holds.slice(1).every((hold) => hold.state === 'held')).toBe(true);
  await Promise.allSettled(holds.map(async (hold) => await hold.release()));
});

test('fencing tokens grow over a failover that has lost the counter', async () => {
  const [master, replica] = [2, 2 + MASTERS];
  const name = world.nameOn(master);
  const token = `redisson_lock_token:{${name}}`;
  const lock = open().getFencedLock(name);
  // The replica is refused from now on: it gets nothing of what follows.
  await world.node(replica).config('SET', 'masterauth', 'wrong');
  await world.node(master).call('CLIENT', 'KILL', 'TYPE', 'replica');
  const before = await lock.acquire({ leaseMs: 500 });

  world.servers[master]?.signal('SIGKILL');
  await eventually(
    async () => {
      expect(await world.node(replica).call('ROLE')).toContain('master');
    },
    { withinMs: 20_000 },
  );
  const lost = (await world.node(replica).exists(token)) === 0;
  const after = await lock.acquire();

  expect(lost).toBe(true);
  expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
  await after.release();
  await world.node(replica).del(token);
});

test('nothing is left on any master', async () => {
  for (const index of [0, 1, 2 + MASTERS]) {
    const allow = [/^redlatch_(cancelled|requests|opened):/];
    await expectNoResidue(runPrefix(), { client: world.node(index), allow, withinMs: 4_000 });
    await expectNoChannels(runPrefix(), { client: world.node(index) });
  }
});
