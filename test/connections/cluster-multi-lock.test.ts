// A multi-lock whose names are on several masters of a cluster.

import { afterAll, expect, test } from 'vitest';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Client, ClientOptions, MultiLock } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startWorker } from '../support/processes.js';
import { runPrefix } from '../support/redis.js';
import { expectNoResidue, RECORDS_OF_LINES } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { moveSlot } from './move-slot.js';

const MASTERS = [0, 1, 2];
const LEASE_MS = 1_500;
/** Above the lease: for messages and for a busy machine. */
const SLACK_MS = 1_500;

const world = await clusterWorld({ masters: MASTERS.length });
const template = world.template();

afterAll(() => template.disconnect());

const open = (options: ClientOptions = {}): Client => openClient({ redis: template, ...options });

/** A name on each master, in the order in which they are taken. */
function names(): [string, string, string] {
  return [world.nameOn(0), world.nameOn(1), world.nameOn(2)];
}

const holderOf = async (name: string, master: number): Promise<string | undefined> =>
  (await world.node(master).hkeys(name))[0];

/** Which of the names, one on each master, somebody has. */
async function held({ names: all }: MultiLock): Promise<boolean[]> {
  const holders = await Promise.all(MASTERS.map(async (i) => await holderOf(all[i] ?? '', i)));
  return holders.map((holder) => holder !== undefined);
}

async function waitsFor(name: string, master: number): Promise<void> {
  await eventually(async () => {
    expect(await world.node(master).llen(`redlatch_line:{${name}}`)).toBe(1);
  });
}

test('its names are taken in the order of their slots, and all of them are released', async () => {
  const [first, second, third] = names();
  const lock = open().getMultiLock([third, first, second]);

  const hold = await lock.acquire();
  const meanwhile = await held(lock);
  const ids = await Promise.all(MASTERS.map(async (i) => await holderOf(lock.names[i] ?? '', i)));
  await hold.release();

  expect(lock.names).toEqual([first, second, third]);
  expect(meanwhile).toEqual([true, true, true]);
  expect(ids[0]).toBe(hold.holderId);
  expect(await held(lock)).toEqual([false, false, false]);
});

test('a busy name in a later slot keeps those before it, and none behind it', async () => {
  const [client, other] = [open(), open()];
  const lock = client.getMultiLock(names());
  const [, second, third] = lock.names as [string, string, string];
  const busy = await other.getLock(second).acquire();

  const none = await lock.tryAcquire();
  await eventually(async () => expect(await held(lock)).toEqual([false, true, false]));
  const acquiring = lock.acquire({ leaseMs: 20_000 });
  await waitsFor(second, 1);
  const meanwhile = await held(lock);
  await (await other.getLock(third).acquire()).release();
  await busy.release();
  const hold = await acquiring;
  const leases = await Promise.all(MASTERS.map((i) => world.node(i).pttl(lock.names[i] ?? '')));
  await hold.release();

  expect(none).toBeNull();
  expect(meanwhile).toEqual([true, true, false]);
  // It counts from when the last name was there.
  expect(leases.every((leftMs) => leftMs > 15_000 && leftMs <= 20_000)).toBe(true);
  expect(await held(lock)).toEqual([false, false, false]);
});

test('a name on another master that was freed unnoticed is found with the last grant', async () => {
  const [client, other] = [open(), open()];
  const lock = client.getMultiLock(names());
  const [first, , third] = lock.names as [string, string, string];
  const busy = await other.getLock(third).acquire();
  const acquiring = lock.acquire();
  await waitsFor(third, 2);

  await world.node(0).del(first);
  await busy.release();
  const hold = await acquiring;

  expect(await held(lock)).toEqual([true, true, true]);
  expect(hold.isHeld).toBe(true);
  await hold.release();
});

test('multi-locks of the same names, given in any order, all get through', async () => {
  const all = names();
  const [first, second, third] = all;
  const inside = new Set<string>();
  let entries = 0;
  const enter = async ({ lock }: { lock: MultiLock }): Promise<void> => {
    await lock.using(async () => {
      expect(lock.names.filter((name) => inside.has(name))).toEqual([]);
      lock.names.forEach((name) => inside.add(name));
      await world.node(0).ping();
      lock.names.forEach((name) => inside.delete(name));
      entries += 1;
    });
  };

  const orders = [all, [third, second], [second, first], [third, first], [third, second, first]];
  const locks = orders.map((some) => open().getMultiLock(some));
  const entering = locks.flatMap((lock) => Array.from({ length: 8 }, () => enter({ lock })));
  await Promise.all(entering);

  expect(entries).toBe(40);
});

test('it is held, and released, where a slot of it was moved to and scripts were forgotten', async () => {
  const lock = open({ leaseMs: LEASE_MS }).getMultiLock(names());
  const hold = await lock.acquire();
  const [first, second, third] = lock.names as [string, string, string];
  const [from, to] = [world.node(0), world.node(1)];
  const masters = MASTERS.map((i) => world.node(i));

  await moveSlot(masters, slotOf(first), from, to);
  const until = performance.now() + 2 * LEASE_MS;
  await eventually(() => performance.now() > until);
  const moved = [hold.isHeld, (await to.exists(first)) === 1];
  await Promise.all(masters.map((master) => master.script('FLUSH')));
  await hold.release();
  const left = [await to.exists(first), await to.exists(second), await world.node(2).exists(third)];
  await moveSlot(masters, slotOf(first), to, from);

  expect(moved).toEqual([true, true]);
  expect(left).toEqual([0, 0, 0]);
});

test.each(['holds all', 'waits for the last'])(
  'a process that is killed while it %s leaves no name for longer than its lease',
  async (how) => {
    const client = open();
    const lock = client.getMultiLock(names());
    const [, , third] = lock.names as [string, string, string];
    const busy = how === 'holds all' ? undefined : await client.getLock(third).acquire();
    const ports = world.servers.map(({ port }) => `${port}`).join(',');
    const worker = startWorker('multi-holder', { args: [ports, `${LEASE_MS}`, ...lock.names] });
    await eventually(async () => expect(await held(lock)).toEqual([true, true, true]));
    if (busy !== undefined) {
      await waitsFor(third, 2);
    }

    await worker.kill();
    const killedAt = performance.now();
    const acquiring = lock.acquire();
    await busy?.release();
    const hold = await acquiring;
    const tookMs = performance.now() - killedAt;
    await hold.release();

    expect(tookMs).toBeLessThan(LEASE_MS + SLACK_MS);
  },
);

test('nothing is left on any master', async () => {
  for (const master of MASTERS) {
    await expectNoResidue(runPrefix(), { client: world.node(master), allow: [RECORDS_OF_LINES] });
  }
});
