// A grant that wants replicas in a cluster: WAIT is asked of the node that got the grant.

import { afterEach, expect, test } from 'vitest';
import { ReplicasError, type Client } from '../../src/index.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { runPrefix } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { moveSlot } from './move-slot.js';

const MASTERS = 2;
const world = await clusterWorld({ masters: MASTERS, replicas: MASTERS, nodeTimeoutMs: 5_000 });
const replicas = { min: 1, timeoutMs: 10_000 };
const impatient = { min: 1, timeoutMs: 50 };

const open = (): Client => openClient({ redis: world.template(), replicas });

/** The replica of a master gets nothing while `work` runs. */
async function frozen<T>(master: number, work: () => Promise<T>): Promise<T> {
  const replica = world.servers[MASTERS + master];
  replica?.signal('SIGSTOP');
  try {
    return await work();
  } finally {
    replica?.signal('SIGCONT');
  }
}

afterEach(async () => {
  for (const master of [0, 1]) {
    await expectNoResidue(runPrefix(), {
      client: world.node(master),
      allow: [/^redlatch_(?:cancelled|requests|line|tickets):/],
    });
  }
});

test.each([0, 1])('a grant on master %i is told of when its own replica has it', async (master) => {
  const client = open();
  const name = world.nameOn(master);
  const elsewhere = world.nameOn(1 - master);

  const error = await frozen(master, async () => {
    const other = await client.getLock(elsewhere).acquire();
    await other.release();
    return await rejection(client.getLock(name).acquire({ replicas: impatient }));
  });
  const hold = await client.getLock(name).acquire();

  expect(error).toBeInstanceOf(ReplicasError);
  expect(error).toMatchObject({ resource: name, acknowledged: 0 });
  // A replica in a cluster answers for what it has when it is told that this is wanted.
  const replica = world.node(MASTERS + master);
  await replica.call('READONLY');
  expect(await replica.hexists(name, hold.holderId)).toBe(1);
  await hold.release();
});

test('a grant that is redirected has its WAIT redirected, too', async () => {
  const client = open();
  const lock = client.getLock(world.nameOn(0));
  // It knows the slots, and has a connection for replicas to each master.
  await lock.using(() => {});
  await client.getLock(world.nameOn(1)).using(() => {});
  const masters = [world.node(0), world.node(1)];
  await moveSlot(masters, slotOf(lock.name), world.node(0), world.node(1));

  const hold = await frozen(0, async () => await lock.acquire());
  await hold.release();
  const error = await frozen(1, async () => await rejection(lock.acquire({ replicas: impatient })));

  expect(error).toBeInstanceOf(ReplicasError);
  await eventually(async () => (await world.node(1).exists(lock.name)) === 0);
});
