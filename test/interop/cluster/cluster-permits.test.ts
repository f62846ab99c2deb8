// Scenario 8 on a cluster: permits cross between Java and Node by their ids, on every master.

import { describe, expect, onTestFinished, test } from 'vitest';
import { LeaseLostError, NotHeldError, type PermitExpirableSemaphore } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import { interopCluster, MASTERS } from './cluster.js';
import { JavaError, type JavaThread } from '../support/java.js';
import { stopTimers } from '../support/world.js';

const cluster = await interopCluster();

/** When Java says that a permit never ends. */
const NEVER = 922_337_203_685_477;
const UNKNOWN = '0123456789abcdef0123456789abcdef';

interface Sides {
  readonly name: string;
  readonly java: JavaThread;
  readonly semaphore: PermitExpirableSemaphore;
}

const everywhere = (['auto', 'off'] as const).flatMap((mode) =>
  MASTERS.map((master) => ({ mode, master })),
);

describe.each(everywhere)('told $mode, on master $master', ({ mode, master }) => {
  const raw = cluster.master(master);

  /** Both sides on a new semaphore. */
  async function open(permits: number): Promise<Sides> {
    const { java, node } = await cluster.open({ onTestFinished }, mode);
    const name = cluster.nameOn(master);
    const semaphore = node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(permits);
    onTestFinished(async () => {
      await cluster.forget(master, name);
    });
    return { name, java: java.thread('only'), semaphore };
  }

  /** Permits that are taken, by what their bytes are in hex, and when each ends. */
  async function taken(name: string): Promise<Map<string, number>> {
    const flat = await raw.zrangeBuffer(`{${name}}:timeout`, '0', '-1', 'WITHSCORES');
    const permits = new Map<string, number>();
    for (const [i, part] of flat.entries()) {
      if (i % 2 === 0) {
        permits.set(part.toString('hex'), Number(flat[i + 1]?.toString()));
      }
    }
    return permits;
  }

  /** Waits until somebody waits. */
  async function heard(name: string): Promise<void> {
    await eventually(async () => {
      expect(await channelsUnder(name, raw)).toHaveLength(1);
    });
  }

  test('both sides store an id as its 16 bytes', async () => {
    const { name, java, semaphore } = await open(2);

    const ours = await semaphore.acquire();
    const theirs = await java.call<string>('permits.acquire', name);

    const stored = await taken(name);
    expect([...stored.keys()].toSorted()).toEqual([ours.id, theirs].toSorted());
    expect([ours.id, theirs].every((id) => /^[0-9a-f]{32}$/u.test(id))).toBe(true);
    expect(stored.get(theirs)).toBe(NEVER);
    expect(await semaphore.acquiredPermits()).toBe(2);
    expect(await java.call('permits.acquiredPermits', name)).toBe(2);
  });

  test('Java reads, updates and releases a permit of Node, which Node learns', async () => {
    const { name, java, semaphore } = await open(1);
    const permit = await semaphore.acquire({ leaseMs: 60_000 });

    const left = await java.call<number>('permits.leaseTime', name, { permit: permit.id });
    const before = (await taken(name)).get(permit.id) ?? 0;
    const updated = { permit: permit.id, leaseMs: 120_000 };
    expect(await java.call('permits.updateLeaseTime', name, updated)).toBe(true);
    const after = (await taken(name)).get(permit.id) ?? 0;
    await java.call('permits.release', name, { permit: permit.id });

    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    expect(after - before).toBeGreaterThan(30_000);
    expect(await semaphore.availablePermits()).toBe(1);
    expect(await rejection(permit.extend(60_000))).toBeInstanceOf(LeaseLostError);
    expect(permit.signal.aborted).toBe(true);
  });

  test('Node updates and releases a permit of Java, which Java learns', async () => {
    const { name, java, semaphore } = await open(1);
    const id = await java.call<string>('permits.acquire', name, { leaseMs: 60_000 });

    const before = (await taken(name)).get(id) ?? 0;
    expect(await semaphore.updateLease(id, 120_000)).toBe(true);
    const after = (await taken(name)).get(id) ?? 0;
    await semaphore.release(id);

    expect(after - before).toBeGreaterThan(30_000);
    expect(await java.call('permits.tryRelease', name, { permit: id })).toBe(false);
    expect(await java.call('permits.availablePermits', name)).toBe(1);
  });

  test('an id that nobody has is refused by both sides, and changes nothing', async () => {
    const { name, java, semaphore } = await open(1);

    expect(await rejection(semaphore.release(UNKNOWN))).toBeInstanceOf(NotHeldError);
    expect(await semaphore.updateLease(UNKNOWN, 1_000)).toBe(false);
    expect(await java.call('permits.tryRelease', name, { permit: UNKNOWN })).toBe(false);
    expect(await rejection(java.call('permits.release', name, { permit: UNKNOWN }))).toBeInstanceOf(
      JavaError,
    );

    expect(await raw.get(name)).toBe('1');
    expect(await taken(name)).toEqual(new Map());
  });

  test('the permit of a third goes to a waiter of Node when Java releases it', async () => {
    stopTimers();
    const { name, java, semaphore } = await open(1);
    const third = await semaphore.acquire({ leaseMs: 120_000 });
    const waiting = semaphore.acquire();
    await heard(name);

    await java.call('permits.release', name, { permit: third.id });
    const permit = await waiting;

    expect([...(await taken(name)).keys()]).toEqual([permit.id]);
    await permit.release();
  });

  test('the permit of a third goes to a waiter of Java when Node releases it', async () => {
    const { name, java, semaphore } = await open(1);
    const third = await java.call<string>('permits.acquire', name);
    // Never ends, and so nothing but a message can tell that it is free.
    const waiting = java.call<string>('permits.acquire', name);
    await heard(name);

    await semaphore.release(third);
    const permit = await waiting;

    expect([...(await taken(name)).keys()]).toEqual([permit]);
    await semaphore.release(permit);
  });
});
