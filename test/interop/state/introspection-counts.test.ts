// Scenario 3: tokens, permits and counts that one side wrote are read right by the other.

import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { rejection } from '../../faults/world.js';
import type { JavaThread } from '../support/java.js';
import { leftOf } from '../bytes/left-of.js';
import { interopWorlds, type World } from '../support/world.js';

const open = interopWorlds('introspection-counts');

/** Grants in turn: each side's token, as itself and as the other side sees it. */
async function tokens({ name, java, node }: World): Promise<bigint[]> {
  const thread = java.thread('holder');
  const lock = node.getFencedLock(name);
  const seen: bigint[] = [];
  const note = async (token: string | bigint | undefined): Promise<void> => {
    seen.push(BigInt(token ?? -1));
    // Java tells the last token that anybody was issued.
    expect(await thread.call('fenced.token', name)).toBe(String(token));
  };
  for (let round = 0; round < 2; round += 1) {
    await note(await thread.call<string>('fenced.lockAndGetToken', name));
    await thread.call('fenced.unlock', name);
    const hold = await lock.acquire();
    await note(hold.fencingToken);
    await hold.release();
  }
  return seen;
}

/** Permits in all, available and taken. */
const countsOfJava = async (thread: JavaThread, name: string): Promise<unknown[]> => [
  await thread.call('permits.totalPermits', name),
  await thread.call('permits.availablePermits', name),
  await thread.call('permits.acquiredPermits', name),
];

async function countsOfNode({ name, node }: World): Promise<unknown[]> {
  const semaphore = node.getPermitExpirableSemaphore(name);
  return [
    await semaphore.totalPermits(),
    await semaphore.availablePermits(),
    await semaphore.acquiredPermits(),
  ];
}

describe('fenced lock', () => {
  test('tokens grow over both sides, and Java reads those of Node', async (context) => {
    const world = await open(context);

    const [first = 0n, ...later] = await tokens(world);

    expect(first).toBe(1n);
    // Node takes the time of the server for a counter that lags behind it (E6); Java counts on.
    expect(later[0]).toBeGreaterThan(1_700_000_000_000_000n);
    expect(later[1]).toBe(later[0]! + 1n);
    expect(later[2]).toBeGreaterThan(later[1]!);
  });

  test('beyond 2^53 every token is exact', async (context) => {
    const world = await open(context);
    const large = 2n ** 53n + 1n;
    await world.raw.set(`redisson_lock_token:{${world.name}}`, String(large));

    expect(await tokens(world)).toEqual([1n, 2n, 3n, 4n].map((more) => large + more));
  });

  test('a re-entry of Java takes a new token (E5), one of Node keeps its own', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('holder');
    const lock = node.getFencedLock(name);

    const before = await lock.acquire();
    const inner = await lock.acquire({ within: before });
    const ofNode = [inner.fencingToken, BigInt(await thread.call<string>('fenced.token', name))];
    await inner.release();
    await before.release();
    const first = BigInt(await thread.call<string>('fenced.lockAndGetToken', name));
    const second = BigInt(await thread.call<string>('fenced.lockAndGetToken', name));
    await thread.call('fenced.unlock', name);
    await thread.call('fenced.unlock', name);
    const after = await lock.acquire();
    await after.release();

    expect(ofNode).toEqual([before.fencingToken, before.fencingToken]);
    expect(second).toBe(first + 1n);
    expect(after.fencingToken).toBeGreaterThan(second);
  });

  test('after the last token of 64 bits neither side gets in', async (context) => {
    const { name, raw, java, node } = await open(context);
    const thread = java.thread('holder');
    const last = 2n ** 63n - 1n;
    await raw.set(`redisson_lock_token:{${name}}`, String(last - 1n));

    const hold = await node.getFencedLock(name).acquire();
    const byJava = await thread.call('fenced.token', name);
    await hold.release();
    const refusals = [
      await rejection(thread.call('fenced.lockAndGetToken', name)),
      await rejection(node.getFencedLock(name).acquire({ waitMs: 5_000 })),
    ];

    expect(hold.fencingToken).toBe(last);
    expect(byJava).toBe(String(last));
    expect(refusals.map(({ error }) => String(error))).toEqual([
      expect.stringContaining('overflow'),
      expect.stringContaining('overflow'),
    ]);
    expect(await raw.exists(name)).toBe(0);
  });
});

describe('semaphore', () => {
  test('available permits are the same on both sides, after every change by either', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('only');
    const semaphore = node.getSemaphore(name);
    const changes: (() => Promise<unknown>)[] = [
      async () => await semaphore.trySetPermits(5),
      async () => await thread.call('semaphore.acquire', name, { permits: 2 }),
      async () => await semaphore.acquire(3),
      async () => await thread.call('semaphore.addPermits', name, { permits: -4 }),
      async () => await semaphore.addPermits(-3),
      async () => await semaphore.release(6),
      async () => await thread.call('semaphore.release', name, { permits: 2 }),
      async () => await thread.call('semaphore.drainPermits', name),
      async () => await semaphore.addPermits(2_147_483_647),
      async () => await semaphore.drainPermits(),
      async () => await semaphore.addPermits(-2_147_483_648),
      async () => await thread.call('semaphore.delete', name),
    ];

    const seen: unknown[] = [];
    for (const change of changes) {
      await change();
      const ofJava = await thread.call('semaphore.availablePermits', name);
      seen.push(ofJava);
      expect(await semaphore.availablePermits()).toBe(ofJava);
    }

    const [most, least] = [2_147_483_647, -2_147_483_648];
    expect(seen).toEqual([5, 3, 0, -4, -7, -1, 1, 0, most, 0, least, 0]);
  });

  test('with less than nothing left nobody gets in', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('only');
    const semaphore = node.getSemaphore(name);
    await thread.call('semaphore.trySetPermits', name, { permits: 1 });
    await thread.call('semaphore.addPermits', name, { permits: -3 });

    const refused = [
      await thread.call('semaphore.tryAcquire', name),
      await semaphore.tryAcquire(),
      await thread.call('semaphore.availablePermits', name),
    ];
    await semaphore.addPermits(3);
    const granted = [await thread.call('semaphore.tryAcquire', name), await semaphore.tryAcquire()];
    await semaphore.delete();

    expect(refused).toEqual([false, null, -2]);
    expect(granted).toEqual([true, null]);
  });
});

describe('permit-expirable semaphore', () => {
  test('totals, available and acquired permits, whoever has them and however long', async (context) => {
    const world = await open(context);
    const { name, java } = world;
    const thread = java.thread('only');
    const semaphore = world.node.getPermitExpirableSemaphore(name);
    const seen: unknown[] = [];
    const note = async (): Promise<void> => {
      const counts = await countsOfNode(world);
      expect(await countsOfJava(thread, name)).toEqual(counts);
      seen.push(counts);
    };

    await note();
    await semaphore.trySetPermits(5);
    await note();
    const fixed = await semaphore.acquire({ leaseMs: 100_000 });
    const renewed = await semaphore.acquire();
    await note();
    const forEver = await thread.call<string>('permits.acquire', name);
    await thread.call('permits.acquire', name, { leaseMs: 60_000 });
    await note();
    const leases = [fixed.id, renewed.id, forEver].map(
      async (permit) => await thread.call('permits.leaseTime', name, { permit }),
    );
    expect(await Promise.all(leases)).toEqual([leftOf(100_000), leftOf(30_000), -1]);
    await thread.call('permits.setPermits', name, { permits: 2 });
    await note();
    await semaphore.release(forEver);
    await thread.call('permits.release', name, { permit: fixed.id });
    await note();
    await semaphore.addPermits(1);
    await note();
    await thread.call('permits.delete', name);
    await note();

    expect(seen).toEqual([
      [0, 0, 0],
      [5, 5, 0],
      [5, 3, 2],
      [5, 1, 4],
      [2, -2, 4],
      [2, 0, 2],
      [3, 1, 2],
      [0, 0, 0],
    ]);
  });

  test.each(['java', 'node'])('an expired permit of %s is available to both', async (side) => {
    const world = await open({ onTestFinished });
    const { name, raw, java } = world;
    const thread = java.thread('only');
    const semaphore = world.node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(2);
    const kept = await semaphore.acquire({ leaseMs: 100_000 });
    await (side === 'java'
      ? thread.call('permits.acquire', name, { leaseMs: 200 })
      : semaphore.acquire({ leaseMs: 200 }));
    const during = await countsOfNode(world);
    await eventually(async () => (await raw.zcount(`{${name}}:timeout`, Date.now(), '+inf')) === 1);

    // Node looks first: it returns nothing, while Java's look takes the expired permit out.
    const seen = [await countsOfNode(world), await raw.zcard(`{${name}}:timeout`)];
    const seenByJava = [await countsOfJava(thread, name), await raw.zcard(`{${name}}:timeout`)];
    await kept.release();
    await semaphore.delete();

    expect(during).toEqual([2, 0, 2]);
    expect(seen).toEqual([[2, 1, 1], 2]);
    expect(seenByJava).toEqual([[2, 1, 1], 1]);
  });
});

describe('latch', () => {
  test('the count is the same on both sides, whoever changes it', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('only');
    const latch = node.getCountDownLatch(name);
    const changes: (() => Promise<unknown>)[] = [
      async () => await latch.countDown(),
      async () => await latch.trySetCount(3),
      async () => await thread.call('latch.trySetCount', name, { count: 9 }),
      async () => await thread.call('latch.countDown', name),
      async () => await latch.countDown(),
      async () => await thread.call('latch.countDown', name),
      async () => await thread.call('latch.trySetCount', name, { count: 2 ** 40 }),
      async () => await latch.countDown(),
      async () => await latch.delete(),
      async () => await latch.trySetCount(2_147_483_647),
      async () => await thread.call('latch.delete', name),
    ];

    const seen: unknown[] = [];
    for (const change of changes) {
      await change();
      const ofJava = await thread.call('latch.count', name);
      seen.push(ofJava);
      expect(await latch.count()).toBe(ofJava);
    }

    expect(seen).toEqual([0, 3, 3, 2, 1, 0, 2 ** 40, 2 ** 40 - 1, 0, 2_147_483_647, 0]);
  });
});
