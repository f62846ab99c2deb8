// Scenario 4: hold counts that one side writes are read right by the other, and every hold is the
// business of its own side alone.

import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { NotHeldError, type Hold, type Lock } from '../../../src/index.js';
import { lockKinds, readLock, state, untouched, writeLock } from '../support/leased-kinds.js';
import { titled } from '../../support/kinds/kind.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('reentry');

const FOREIGN = { type: 'IllegalMonitorStateException' };
const within = (ms: number): unknown =>
  expect.toSatisfy((left: number) => left > ms - 10_000 && left <= ms);

/** What Node makes of a lock that one holder has, and the field of that holder. */
async function readByNode(lock: Lock, raw: Redis, field: string): Promise<unknown> {
  const [isLocked, holders] = [await lock.isLocked(), await lock.holders()];
  return { isLocked, holders, count: await raw.hget(lock.name, field) };
}

/** The numbers of a reader's hold keys, by which Redisson tells the living. */
async function holdKeys(raw: Redis, name: string, holderId: string): Promise<string[]> {
  const keys = await raw.keys(`{${name}}:${holderId}:rwlock_timeout:*`);
  return keys.map((key) => key.slice(key.lastIndexOf(':') + 1)).toSorted();
}

describe.each(titled(lockKinds))('%s', (_, kind) => {
  const { op, rival } = kind;

  test('Node reads the count right after each enter and each leave of Java', async (context) => {
    const { name, raw, java, node } = await open(context);
    const thread = java.thread('holder');
    const holderId = await thread.holderId();
    const lock = kind.node(node, name);
    const seen: unknown[] = [];
    const keys: string[][] = [];

    for (const [method, args] of [
      ['lock', {}],
      ['tryLock', {}],
      ['lock', { async: true }],
      ['unlock', {}],
      ['unlock', { async: true }],
      ['unlock', {}],
    ] as const) {
      await thread.call(`${op}.${method}`, name, args);
      seen.push(await readByNode(lock, raw, kind.field(holderId)));
      keys.push(await holdKeys(raw, name, holderId));
    }

    // R6: re-entries of a Java writer add up their leases.
    const leases = [1, 2, 3, 1, 1].map((sum) => 30_000 * (kind === writeLock ? sum : 1));
    const depths = [1, 2, 3, 2, 1];
    expect(seen).toEqual([
      ...depths.map((depth, i) => ({
        isLocked: true,
        holders: [{ holderId, depth, remainingMs: within(leases[i] ?? 0) }],
        count: String(depth),
      })),
      { isLocked: false, holders: [], count: null },
    ]);
    if (kind === readLock) {
      expect(keys.map(({ length }) => length)).toEqual([...depths, 0]);
    }
  });

  test('Java finds it held from the first enter of Node to the last leave', async (context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('looker'), kind.node(node, name)];
    const holds: Hold[] = [];
    const seen: unknown[] = [];
    const enter = async (): Promise<void> => {
      const outer = holds.at(-1);
      holds.push(await lock.acquire(outer === undefined ? {} : { within: outer }));
    };
    const leave = (i: number) => async (): Promise<void> => await holds[i]?.release();

    // Out of order: the count is all that goes to the server.
    for (const step of [enter, enter, enter, leave(1), leave(0), leave(2)]) {
      await step();
      const holderId = holds[0]?.holderId ?? '';
      seen.push({
        count: await raw.hget(name, kind.field(holderId)),
        keys: (await holdKeys(raw, name, holderId)).length,
        isLocked: await thread.call(`${op}.isLocked`, name),
        isMine: await thread.call(`${op}.isHeld`, name),
        myCount: await thread.call(`${op}.holdCount`, name),
        leftMs: await thread.call(`${op}.remainTimeToLive`, name),
        getsIn: await thread.call(`${rival.op}.tryLock`, name),
      });
    }

    const locked = [1, 2, 3, 2, 1].map((depth) => ({
      count: String(depth),
      keys: kind === readLock ? depth : 0,
      isLocked: true,
      isMine: false,
      myCount: 0,
      leftMs: within(30_000),
      getsIn: false,
    }));
    const free = { count: null, keys: 0, isLocked: false, isMine: false, myCount: 0, leftMs: -2 };
    expect(seen).toEqual([...locked, { ...free, getsIn: true }]);
    await thread.call(`${rival.op}.unlock`, name);
  });

  test('Java cannot unlock what Node holds, and changes nothing by trying', async (context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('stranger'), kind.node(node, name)];
    const outer = await lock.acquire({ leaseMs: 60_000 });
    const inner = await lock.acquire({ leaseMs: 60_000, within: outer });
    const before = await state(kind, raw, name);

    for (const method of [`${op}.unlock`, `${rival.op}.unlock`]) {
      await expect(thread.call(method, name)).rejects.toMatchObject(FOREIGN);
      await expect(thread.call(method, name, { async: true })).rejects.toMatchObject(FOREIGN);
    }

    expect(await state(kind, raw, name)).toEqual(untouched(before));
    expect(before.who).toHaveProperty([kind.field(outer.holderId)], '2');
    await inner.release();
    await outer.release();
    expect(await raw.exists(name)).toBe(0);
  });

  test('Node cannot release what Java holds, and changes nothing by trying', async (context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('holder'), kind.node(node, name)];
    const old = await lock.acquire();
    await old.release();
    await thread.call(`${op}.lock`, name, { leaseMs: 60_000 });
    await thread.call(`${op}.lock`, name, { leaseMs: 60_000 });
    const before = await state(kind, raw, name);

    await old.release();
    await expect(old.extend(90_000)).rejects.toThrow(NotHeldError);
    await expect(lock.acquire({ within: old })).rejects.toThrow(NotHeldError);
    const count = await lock.holdCount();

    expect(await state(kind, raw, name)).toEqual(untouched(before));
    expect(before.who).toHaveProperty([kind.field(await thread.holderId())], '2');
    expect(count).toBe(0);
    await thread.call(`${op}.unlock`, name);
    await thread.call(`${op}.unlock`, name);
    expect(await raw.exists(name)).toBe(0);
  });
});

describe('read-write lock', () => {
  test('readers of both sides are counted each by himself', async (context) => {
    const { name, java, node } = await open(context);
    const [once, twice] = [java.thread('once'), java.thread('twice')];
    const { readLock: lock } = node.getReadWriteLock(name);
    const outer = await lock.acquire();
    await once.call('read.lock', name);
    await twice.call('read.lock', name);
    const inner = await lock.acquire({ within: outer });
    await twice.call('read.lock', name);
    const depths = async (): Promise<Record<string, number>> =>
      Object.fromEntries((await lock.holders()).map(({ holderId, depth }) => [holderId, depth]));
    const [mine, first, second] = [outer.holderId, await once.holderId(), await twice.holderId()];

    const seen = [await depths()];
    await inner.release();
    seen.push(await depths());
    await once.call('read.unlock', name);
    seen.push(await depths());
    await outer.release();
    await twice.call('read.unlock', name);
    seen.push(await depths());
    await twice.call('read.unlock', name);

    expect(seen).toEqual([
      { [mine]: 2, [first]: 1, [second]: 2 },
      { [mine]: 1, [first]: 1, [second]: 2 },
      { [mine]: 1, [second]: 2 },
      { [second]: 1 },
    ]);
    expect(await depths()).toEqual({});
  });

  test('Node counts the write and the read holds of one Java thread apart', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('writer');
    const holderId = await thread.holderId();
    const lock = node.getReadWriteLock(name);
    const seen: unknown[] = [];

    for (const step of [
      'write.lock',
      'read.lock',
      'read.lock',
      'write.lock',
      'write.unlock',
    ].concat('write.unlock', 'read.unlock', 'read.unlock')) {
      await thread.call(step, name);
      const [writes, reads] = [await lock.writeLock.holders(), await lock.readLock.holders()];
      seen.push(
        [...writes, ...reads].map((holder) => [holder.holderId === holderId, holder.depth]),
      );
    }

    const counts = [[1], [1, 1], [1, 2], [2, 2], [1, 2], [2], [1], []];
    expect(seen).toEqual(counts.map((depths) => depths.map((depth) => [true, depth])));
  });

  test('Java finds the write and the read holds of Node apart', async (context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('looker'), node.getReadWriteLock(name)];
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      seen.push(
        [await raw.hgetall(name), await thread.call('write.isLocked', name)].concat(
          await thread.call('read.isLocked', name),
        ),
      );
    };

    const write = await lock.writeLock.acquire();
    await look();
    const read = await lock.readLock.acquire({ within: write });
    await look();
    await write.release();
    await look();
    await read.release();
    await look();

    const { holderId } = write;
    const writing = { mode: 'write', [`${holderId}:write`]: '1' };
    expect(seen).toEqual([
      [writing, true, false],
      [{ ...writing, [holderId]: '1' }, true, true],
      [{ mode: 'read', [holderId]: '1' }, false, true],
      [{}, false, false],
    ]);
  });
});
