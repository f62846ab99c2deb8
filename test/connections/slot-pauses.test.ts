// A slot that refuses calls for the moment, since it moves or nobody serves it, delays no call for another
// slot of its node.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Client, type ClientOptions } from '../../src/index.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { eventually } from '../support/eventually.js';
import { fairLock, lock, readLock, writeLock } from '../support/kinds/locks.js';
import { titled } from '../support/kinds/kind.js';
import { rejection } from '../contract/fixture.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { beginMove, moveSlot } from './move-slot.js';

const MASTERS = 2;
const world = await clusterWorld({ masters: MASTERS });
const template = world.template();
const [first, second] = [world.node(0), world.node(1)];
const masters = [first, second];

beforeAll(async () => {
  for (const master of masters) {
    await master.config('SET', 'cluster-require-full-coverage', 'no');
  }
});

afterAll(() => template.disconnect());

const open = (options: ClientOptions = {}): Client => openClient({ redis: template, ...options });

/** How often a node has refused a call so. */
async function refusals(node: Redis, error: string): Promise<number> {
  const stats = await node.info('errorstats');
  return Number(new RegExp(`errorstat_${error}:count=(\\d+)`, 'u').exec(stats)?.[1] ?? 0);
}

/** What a program does with another slot, over and over: how often, while a node refuses ten calls more of
 * each waiter. */
async function timesMeanwhile(
  node: Redis,
  error: string,
  waiters: number,
  cycle: () => Promise<unknown>,
): Promise<number> {
  const until = (await refusals(node, error)) + 10 * waiters;
  const ending = new AbortController();
  const watching = eventually(async () => (await refusals(node, error)) >= until, {
    withinMs: 20_000,
  }).finally(() => ending.abort());
  let times = 0;
  while (!ending.signal.aborted) {
    await cycle();
    times += 1;
  }
  await watching;
  return times;
}

interface Cycle {
  readonly what: string;
  readonly prepare: (
    client: Client,
    other: Client,
    name: string,
  ) => Promise<() => Promise<unknown>>;
}

const cycles: Cycle[] = [
  ...titled([lock, fairLock, writeLock]).map(([what, kind]) => ({
    what: `a ${what} is acquired and released`,
    prepare: async (client: Client, _: Client, name: string) => {
      const used = kind.get(client, name);
      return await Promise.resolve(async () => await (await used.acquire()).release());
    },
  })),
  {
    what: 'a lock is handed over',
    prepare: async (client, other, name) => {
      let hold = await client.getLock(name).acquire();
      let next = other;
      return async () => {
        const taking = next.getLock(name).acquire();
        next = next === other ? client : other;
        await hold.release();
        hold = await taking;
      };
    },
  },
  {
    what: 'a hold is renewed',
    prepare: async (client, _, name) => {
      const hold = await client.getLock(name).acquire();
      return async () => await hold.extend(40_000);
    },
  },
  {
    what: 'permits are taken and given back',
    prepare: async (client, _, name) => {
      const semaphore = client.getSemaphore(name);
      await semaphore.trySetPermits(1);
      return async () => await (await semaphore.acquire()).release();
    },
  },
];

describe.each(cycles)('$what all the while', ({ prepare }) => {
  test('while another slot moves', async () => {
    const [client, other] = [open(), open()];
    const [moving, name] = [world.nameOn(0), world.nameOn(1)];
    const cycle = await prepare(client, other, name);
    await beginMove(slotOf(moving), first, second);

    // Nothing of it is there, so the new master is to create it, which refuses that until the slot is its own.
    const waiting = [client, other].map(async (one) => await one.getLock(moving).acquire());
    const times = await timesMeanwhile(second, 'TRYAGAIN', 2, cycle);
    await moveSlot(masters, slotOf(moving), first, second);
    for (const acquiring of [
      Promise.race(waiting),
      Promise.all(waiting).then(([, hold]) => hold),
    ]) {
      await (await acquiring)?.release();
    }

    // With one answer between two pauses there are ten at most.
    expect(times).toBeGreaterThan(10);
  });

  test('while nobody serves another slot', async () => {
    const [client, other] = [open(), open()];
    const [lost, name] = [world.nameOn(1), world.nameOn(1)];
    const cycle = await prepare(client, other, name);
    const slot = slotOf(lost);
    await second.call('CLUSTER', 'DELSLOTS', slot);

    const waiting = client.getLock(lost).acquire();
    const times = await timesMeanwhile(second, 'CLUSTERDOWN', 1, cycle);
    await second.call('CLUSTER', 'ADDSLOTS', slot);
    await (await waiting).release();

    expect(times).toBeGreaterThan(10);
  });
});

test('an acquisition behind a forced release stays behind it, though their slot moves', async () => {
  const [mine, others] = [open(), open()];
  const name = world.nameOn(0);
  const moved = mine.getLock(name);
  await moved.acquire();
  await moved.forceRelease();
  await moved.acquire();
  await beginMove(slotOf(name), first, second);
  const before = await refusals(first, 'TRYAGAIN');

  const forcing = moved.forceRelease();
  const acquiring = moved.acquire();
  await eventually(async () => (await refusals(first, 'TRYAGAIN')) > before);
  await moveSlot(masters, slotOf(name), first, second);
  await forcing;
  const hold = await acquiring;
  const other = await others.getLock(name).tryAcquire();

  expect([hold.isHeld, other]).toEqual([true, null]);
  await hold.release();
});

test.each(titled([lock, fairLock, readLock]))(
  'a %s whose release is refused while its slot moves is released by a later call',
  async (_, kind) => {
    const client = open({ commandTimeoutMs: 400 });
    const name = world.nameOn(0);
    const grant = await kind.get(client, name).acquire();
    await beginMove(slotOf(name), first, second);

    const refused = await rejection(grant.release());
    const again = await rejection(grant.release());
    await moveSlot(masters, slotOf(name), first, second);
    await grant.release();
    const next = await kind.get(open(), name).tryAcquire();

    for (const error of [refused, again]) {
      expect(error).toBeInstanceOf(CommandTimeoutError);
      expect(String((error as CommandTimeoutError).cause)).toContain('TRYAGAIN');
    }
    expect(next?.isHeld).toBe(true);
    await next?.release();
  },
);
