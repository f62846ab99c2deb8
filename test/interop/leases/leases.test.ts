// Scenario 5: a lease that one side named ends under a waiter of the other, one that is renewed does
// not. What one waits for is granted by the server, so its time says what came first.

import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { listening } from '../../faults/world.js';
import { channelsUnder } from '../../support/redis.js';
import { expectAfter, LONG_MS } from '../support/lease-order.js';
import {
  idOf,
  leasedKinds,
  lockKinds,
  permitKind,
  prepare,
  state,
  untouched,
  writeLock as writeKind,
  type Lease,
} from '../support/leased-kinds.js';
import { titled } from '../../support/kinds/kind.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('leases');

/** Long enough to be renewed in time, and for a waiter to begin before it ends, on a busy machine. */
const LEASE_MS = 3_000;

/** Looks again every 20 ms until the work is done. */
async function during<T>(work: Promise<unknown>, look: () => Promise<T>): Promise<T[]> {
  const progress = { isDone: false };
  const done = work.finally(() => {
    progress.isDone = true;
  });
  const seen: T[] = [];
  while (!progress.isDone) {
    seen.push(await look());
    await delay(20);
  }
  await done;
  return seen;
}

/** Wakes whoever waits, on either side: so it asks until the last moment, and is to be refused. */
async function nudge(raw: Redis, name: string): Promise<void> {
  const channels = await channelsUnder(`{${name}}`, raw);
  await Promise.all(channels.map(async (channel) => await raw.publish(channel, '1')));
}

/** It was renewed all the time, for three leases. */
function expectKept(leases: Lease[]): void {
  const [first, last] = [leases[0], leases.at(-1)] as [Lease, Lease];
  expect(Math.min(...leases.map(({ leftMs }) => leftMs))).toBeGreaterThan(0);
  expect(last.endsAt - first.endsAt).toBeGreaterThan(2 * LEASE_MS);
}

describe.concurrent.each(titled(leasedKinds))('%s', (_, kind) => {
  test('Node gets in when the lease that Java named has ended', async (context) => {
    const { name, raw, java, node } = await open(context);
    await prepare(kind, node, name);
    const grant = await kind.java.enter(java.thread('holder'), name, { leaseMs: LEASE_MS });
    const its = await kind.lease(raw, name);
    const waiting = kind.rival.node(node, name).acquire({ leaseMs: LONG_MS });
    await listening(name);

    await during(waiting, async () => await nudge(raw, name));
    const next = await waiting;
    const mine = await kind.lease(raw, name);
    const before = await state(kind, raw, name);
    await expect(grant.leave()).rejects.toMatchObject({ type: kind.refusal });

    expectAfter(mine, its);
    expect(await state(kind, raw, name)).toEqual(untouched(before));
    expect(await kind.inside(name)).toEqual([idOf(next)]);
    expect(next.isHeld).toBe(true);
    await next.release();
  });

  test('Java gets in when the lease that Node named has ended', async (context) => {
    const { name, raw, java, node } = await open(context);
    await prepare(kind, node, name);
    const mine = await kind.node(node, name).acquire({ leaseMs: LEASE_MS });
    const lease = await kind.lease(raw, name);
    const waiting = kind.rival.java.enter(java.thread('waiter'), name, { leaseMs: LONG_MS });
    await listening(name);

    await during(waiting, async () => await nudge(raw, name));
    const grant = await waiting;
    const before = await state(kind, raw, name);
    await expect(mine.release()).rejects.toMatchObject({ reason: 'expired' });

    expectAfter(await kind.lease(raw, name), lease);
    expect(await state(kind, raw, name)).toEqual(untouched(before));
    expect(await kind.inside(name)).toEqual([grant.id]);
    await grant.leave();
  });

  test('the watchdog of Node keeps a hold for three leases, though Java waits', async (context) => {
    const { name, raw, java, node } = await open(context, { node: { leaseMs: LEASE_MS } });
    await prepare(kind, node, name);
    const lost: unknown[] = [];
    node.on('lost', (event) => lost.push(event));
    const hold = await kind.node(node, name).acquire();
    const before = await kind.inside(name);
    const waiter = java.thread('waiter');

    const waiting = kind.rival.java.tryEnter(waiter, name, { waitMs: 3 * LEASE_MS });
    const leases = await during(waiting, async () => await kind.lease(raw, name));

    expect(await waiting).toBeNull();
    expectKept(leases);
    expect([before, await kind.inside(name)]).toEqual([[idOf(hold)], [idOf(hold)]]);
    expect([hold.isHeld, lost]).toEqual([true, []]);
    await hold.release();
  });
});

describe.concurrent.each(titled(lockKinds))('%s', (_, kind) => {
  test('the watchdog of Java keeps a lock for three leases, though Node waits', async (context) => {
    const { name, raw, java, node } = await open(context, { java: { leaseMs: LEASE_MS } });
    const grant = await kind.java.enter(java.thread('holder'), name);

    const waiting = kind.rival.node(node, name).tryAcquire({ waitMs: 3 * LEASE_MS });
    const leases = await during(waiting, async () => await kind.lease(raw, name));

    expect(await waiting).toBeNull();
    expectKept(leases);
    expect(await kind.inside(name)).toEqual([grant.id]);
    await grant.leave();
  });
});

describe.concurrent('what Redisson does itself', () => {
  test('P6: a permit of Java is renewed by nobody, and without a lease it never ends', async (context) => {
    const { name, raw, java, node } = await open(context);
    const semaphore = node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(1);
    const grant = await permitKind.java.enter(java.thread('holder'), name);

    const permit = await semaphore.tryAcquire({ waitMs: LEASE_MS });

    expect(permit).toBeNull();
    expect((await permitKind.lease(raw, name)).endsAt).toBe(922_337_203_685_477);
    await grant.leave();
  });

  const shortening = lockKinds.filter(({ op }) => ['lock', 'fair', 'fenced'].includes(op));

  test.for(titled(shortening))(
    'L4: a shorter re-entry of Java ends its whole hold of a %s, one of Node does not',
    async ([, kind], context) => {
      const { name, raw, java, node } = await open(context);
      const [holder, waiter] = [java.thread('holder'), java.thread('waiter')];
      await kind.java.enter(holder, name, { leaseMs: LONG_MS });
      const grant = await kind.java.enter(holder, name, { leaseMs: LEASE_MS });
      const its = await kind.lease(raw, name);

      const lock = kind.node(node, name);
      const outer = await lock.acquire({ leaseMs: LONG_MS });
      expectAfter(await kind.lease(raw, name), its);
      await expect(grant.leave()).rejects.toMatchObject({ type: kind.refusal });

      const inner = await lock.acquire({ leaseMs: LEASE_MS, within: outer });
      expect(await kind.java.tryEnter(waiter, name, { waitMs: 2 * LEASE_MS })).toBeNull();
      expect([outer.isHeld, inner.isHeld]).toEqual([true, true]);
      await inner.release();
      await outer.release();
    },
  );

  test('L1: a writer of Java that has read is renewed no more, one of Node is', async (context) => {
    const options = { leaseMs: LEASE_MS };
    const { name, raw, java, node } = await open(context, { java: options, node: options });
    const [holder, waiter] = [java.thread('holder'), java.thread('waiter')];
    const { readLock, writeLock } = node.getReadWriteLock(name);
    await holder.call('write.lock', name);
    await holder.call('read.lock', name);
    await holder.call('read.unlock', name);
    const its = await writeKind.lease(raw, name);

    const write = await writeLock.acquire({ leaseMs: LONG_MS });
    expectAfter(await writeKind.lease(raw, name), its);
    await expect(holder.call('write.unlock', name)).rejects.toMatchObject({
      type: writeKind.refusal,
    });
    await write.release();

    const renewed = await writeLock.acquire();
    const read = await readLock.acquire({ within: renewed });
    await read.release();
    const waitMs = 3 * LEASE_MS;
    expect(await writeKind.java.tryEnter(waiter, name, { waitMs })).toBeNull();
    expect(renewed.isHeld).toBe(true);
    await renewed.release();
  });
});
