// Scenario 3: what each side tells about a lock is right, whoever holds it.

import { describe, expect, test } from 'vitest';
import type { Hold, Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { JavaThread } from '../support/java.js';
import { lockKinds, readLock, writeLock } from '../support/leased-kinds.js';
import { titled } from '../../support/kinds/kind.js';
import { leftOf } from '../bytes/left-of.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('introspection');

/** What Node tells. */
async function told(lock: Lock): Promise<unknown[]> {
  return [await lock.isLocked(), await lock.holders(), await lock.remainingLeaseMs()];
}

/** What Java tells. */
async function toldByJava(thread: JavaThread, op: string, name: string): Promise<unknown[]> {
  const parts = ['isLocked', 'isHeld', 'holdCount', 'remainTimeToLive'];
  return await Promise.all(parts.map(async (part) => await thread.call(`${op}.${part}`, name)));
}

function holder(holderId: string, depth: number, leaseMs: number): unknown {
  return { holderId, depth, remainingMs: leftOf(leaseMs) };
}

/** Whether somebody reads, whether somebody writes, and for how long. */
const lookAt = async (thread: JavaThread, name: string): Promise<unknown[]> => [
  await thread.call('read.isLocked', name),
  await thread.call('write.isLocked', name),
  await thread.call('read.remainTimeToLive', name),
  await thread.call('write.remainTimeToLive', name),
];

const FREE = [false, [], null];
const FREE_TO_JAVA = [false, false, 0, -2];

describe.each(titled(lockKinds))('%s', (_, kind) => {
  test('Node tells who in Java holds it, how often and for how long', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('holder');
    const lock = kind.node(node, name);
    const before = await told(lock);

    const grant = await kind.java.enter(thread, name, { leaseMs: 100_000 });
    const once = await told(lock);
    await kind.java.enter(thread, name, { leaseMs: 100_000 });
    const twice = await told(lock);
    const count = await lock.holdCount();
    await grant.leave();
    const again = await lock.holders();
    await grant.leave();

    expect(before).toEqual(FREE);
    expect(once).toEqual([true, [holder(grant.id, 1, 100_000)], leftOf(100_000)]);
    // A re-entry of Java's writer adds its lease to the first one (R6).
    const leaseMs = kind === writeLock ? 200_000 : 100_000;
    expect(twice).toEqual([true, [holder(grant.id, 2, leaseMs)], leftOf(leaseMs)]);
    expect(count).toBe(0);
    expect(again).toMatchObject([{ holderId: grant.id, depth: 1 }]);
    expect(await told(lock)).toEqual(FREE);
  });

  test('Java tells that Node holds it and for how long, and takes no hold for its own', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('looker');
    const look = async (): Promise<unknown[]> => await toldByJava(thread, kind.op, name);
    const before = await look();

    const outer = await kind.node(node, name).acquire({ leaseMs: 100_000 });
    const once = await look();
    const inner = await kind.node(node, name).acquire({ within: outer, leaseMs: 200_000 });
    const twice = await look();
    await inner.release();
    const again = await look();
    await outer.release();

    expect(before).toEqual(FREE_TO_JAVA);
    expect(once).toEqual([true, false, 0, leftOf(100_000)]);
    expect(twice).toEqual([true, false, 0, leftOf(200_000)]);
    expect(again).toEqual([true, false, 0, leftOf(200_000)]);
    expect(await look()).toEqual(FREE_TO_JAVA);
  });

  test('without an end it is held for ever, for both', async (context) => {
    const { name, raw, java, node } = await open(context);
    const lock = kind.node(node, name);
    const grant = await kind.java.enter(java.thread('holder'), name, { leaseMs: 100_000 });

    await raw.persist(name);
    const byNode = await told(lock);
    const byJava = await toldByJava(java.thread('looker'), kind.op, name);
    await grant.leave();

    // Each hold of a reader has a lease of its own, by which Redisson too takes it for alive.
    const remainingMs = kind === readLock ? leftOf(100_000) : Infinity;
    expect(byNode).toEqual([true, [{ holderId: grant.id, depth: 1, remainingMs }], remainingMs]);
    expect(byJava).toEqual([true, false, 0, -1]);
    expect(await told(lock)).toEqual(FREE);
  });

  test('a lease that nobody named is that of the client, on either side', async (context) => {
    const options = { leaseMs: 60_000 };
    const { name, java, node } = await open(context, { node: options, java: options });
    const thread = java.thread('holder');
    const lock = kind.node(node, name);

    const grant = await kind.java.enter(thread, name);
    const ofJava = await lock.holders();
    await grant.leave();
    const hold = await lock.acquire();
    const ofNode = await toldByJava(thread, kind.op, name);
    await hold.release();

    expect(ofJava).toEqual([holder(grant.id, 1, 60_000)]);
    expect(ofNode).toEqual([true, false, 0, leftOf(60_000)]);
  });

  test('each side counts its own holds, and is told what it holds', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('holder');
    const lock = kind.node(node, name);

    const grant = await kind.java.enter(thread, name);
    await kind.java.enter(thread, name);
    const ofJava = await toldByJava(thread, kind.op, name);
    const ofOther = await toldByJava(java.thread('other'), kind.op, name);
    await grant.leave();
    await grant.leave();
    const ofNode = await lock.using(
      async () => await lock.using(async () => await lock.holdCount()),
    );

    expect(ofJava.slice(0, 3)).toEqual([true, true, 2]);
    expect(ofOther.slice(0, 3)).toEqual([true, false, 0]);
    expect(ofNode).toBe(2);
  });
});

test('who waits for a fair lock is no holder', async (context) => {
  const world = await open(context);
  const { name, raw, java, node } = world;
  const lock = node.getFairLock(name);
  const queued = async (count: number): Promise<void> => {
    await eventually(async () => (await raw.llen(`redisson_lock_queue:{${name}}`)) === count);
  };
  const hold = await lock.acquire();
  const first = java.thread('waiter').call('fair.lock', name);
  await queued(1);
  const second = world.open().getFairLock(name).acquire();
  await queued(2);

  const holders = await lock.holders();
  const byJava = await toldByJava(java.thread('looker'), 'fair', name);
  await hold.release();
  await first;
  const holdersThen = await lock.holders();
  await java.thread('waiter').call('fair.unlock', name);
  await (await second).release();

  expect(holders).toMatchObject([{ holderId: hold.holderId, depth: 1 }]);
  expect(byJava.slice(0, 3)).toEqual([true, false, 0]);
  expect(holdersThen).toMatchObject([{ holderId: await java.thread('waiter').holderId() }]);
});

describe('read-write lock', () => {
  test('readers of both sides, each with its depth and its own lease', async (context) => {
    const world = await open(context);
    const { name, java, node } = world;
    const { readLock: reads, writeLock: writes } = world.open().getReadWriteLock(name);
    const [one, two] = [java.thread('one'), java.thread('two')];
    const ids = [await one.holderId(), await two.holderId()] as const;

    await one.call('read.lock', name, { leaseMs: 100_000 });
    await one.call('read.lock', name, { leaseMs: 60_000 });
    await two.call('read.lock', name, { leaseMs: 200_000 });
    const mine = await node.getReadWriteLock(name).readLock.acquire({ leaseMs: 400_000 });
    const holders = await reads.holders();
    const byJava = await lookAt(java.thread('looker'), name);
    const ofWriters = await told(writes);
    await two.call('read.unlock', name);
    const without = await reads.holders();
    await mine.release();
    await one.call('read.unlock', name);
    const last = await reads.holders();
    await one.call('read.unlock', name);

    expect(holders).toHaveLength(3);
    expect(holders).toEqual(
      expect.arrayContaining([
        holder(ids[0], 2, 100_000),
        holder(ids[1], 1, 200_000),
        holder(mine.holderId, 1, 400_000),
      ]),
    );
    expect(byJava).toEqual([true, false, leftOf(400_000), leftOf(400_000)]);
    expect(ofWriters).toEqual(FREE);
    expect(without.map(({ holderId }) => holderId).toSorted()).toEqual(
      [ids[0], mine.holderId].toSorted(),
    );
    expect(last).toEqual([holder(ids[0], 1, 100_000)]);
    expect(await lookAt(java.thread('looker'), name)).toEqual([false, false, -2, -2]);
  });

  test('a writer of Java that also reads is both to Node, and a reader when it goes on', async (context) => {
    const { name, java, node } = await open(context);
    const { readLock: reads, writeLock: writes } = node.getReadWriteLock(name);
    const thread = java.thread('writer');
    const id = await thread.holderId();
    const states: unknown[] = [];
    const note = async (): Promise<unknown> =>
      states.push([await writes.holders(), await reads.holders()]);

    await thread.call('write.lock', name, { leaseMs: 100_000 });
    await note();
    await thread.call('read.lock', name, { leaseMs: 100_000 });
    await note();
    await thread.call('write.unlock', name);
    await note();
    await thread.call('read.unlock', name);
    await note();

    const own = [holder(id, 1, 100_000)];
    expect(states).toEqual([
      [own, []],
      [own, own],
      [[], own],
      [[], []],
    ]);
  });

  test('a writer of Node that also reads is both to Java, and a reader when it goes on', async (context) => {
    const { name, java, node } = await open(context);
    const { readLock: reads, writeLock: writes } = node.getReadWriteLock(name);
    const thread = java.thread('looker');
    const states: unknown[] = [];
    const note = async (): Promise<unknown> => states.push(await lookAt(thread, name));

    const write = await writes.acquire({ leaseMs: 100_000 });
    await note();
    const read: Hold = await reads.acquire({ within: write, leaseMs: 100_000 });
    await note();
    await write.release();
    await note();
    await read.release();
    await note();

    const left = leftOf(100_000);
    expect(states).toEqual([
      [false, true, left, left],
      [true, true, left, left],
      [true, false, left, left],
      [false, false, -2, -2],
    ]);
  });

  test('R8: a reader of Java whose lease has ended is shown by Java alone', async (context) => {
    const { name, raw, java, node } = await open(context);
    const { readLock: reads } = node.getReadWriteLock(name);
    const thread = java.thread('absent');
    const mine = await reads.acquire();
    await thread.call('read.lock', name, { leaseMs: 300 });
    const during = await reads.holders();

    const key = `{${name}}:${await thread.holderId()}:rwlock_timeout:1`;
    await eventually(async () => (await raw.exists(key)) === 0);
    const byJava = await toldByJava(thread, 'read', name);
    const byNode = await reads.holders();
    await mine.release();

    expect(during).toHaveLength(2);
    expect(byJava.slice(0, 3)).toEqual([true, true, 1]);
    expect(byNode).toMatchObject([{ holderId: mine.holderId }]);
    expect(await lookAt(thread, name)).toEqual([false, false, -2, -2]);
  });
});
