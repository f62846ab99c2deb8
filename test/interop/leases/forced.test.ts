// Scenario 4: one side frees by force what the other holds. The holder learns of it, and what it
// does too late harms nobody.

import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { listening } from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';
import { fairLock, lockKinds, readLock, state, untouched } from '../support/leased-kinds.js';
import { titled } from '../../support/kinds/kind.js';
import { expectLoss, listenTo, LOOKS, nextRenewal } from '../support/losses.js';
import { startMonitor, type Monitor } from '../support/monitor.js';
import { interopWorlds, stopTimers } from '../support/world.js';

const open = interopWorlds('forced');
let monitor: Monitor;

beforeAll(async () => {
  monitor = await startMonitor();
});

const NOT_OWNER = { type: 'IllegalMonitorStateException' };

/** R10: what Redisson leaves behind of a reader that it frees stays until the reader's lease ends. */
async function dropReader(raw: Redis, name: string, { holderId }: Hold): Promise<number> {
  return await raw.del(`{${name}}:${holderId}:rwlock_timeout:1`, `redlatch_readers:{${name}}`);
}

describe.each(titled(lockKinds))('%s: Java frees what Node holds', (_, kind) => {
  const { op, rival } = kind;

  test.for(LOOKS)(
    'Node learns by %s that nobody has it',
    async ([, { options, look }], context) => {
      stopTimers();
      const { name, raw, java, node } = await open(context);
      const hold = await kind.node(node, name).acquire(options);
      const told = listenTo(node, hold);

      const forced = await java.thread('force').call(`${op}.forceUnlock`, name);
      const [before, left] = [hold.state, await raw.exists(name)];
      look(hold);
      await expectLoss(hold, told, 'deleted');

      expect([forced, before, left]).toEqual([true, 'held', 0]);
      expect(await raw.exists(name)).toBe(0);
      expect(await dropReader(raw, name, hold)).toBe(
        kind === readLock && look === nextRenewal ? 2 : 0,
      );
    },
  );

  test.for(LOOKS)('Node learns by %s that Java has it', async ([, { options, look }], context) => {
    stopTimers();
    const { name, raw, java, node } = await open(context);
    const hold = await kind.node(node, name).acquire(options);
    const told = listenTo(node, hold);
    const thread = java.thread('taker');
    await thread.call(`${op}.forceUnlock`, name);
    const grant = await rival.java.enter(thread, name, { leaseMs: 60_000 });
    const before = [hold.state, await state(kind, raw, name)] as const;

    look(hold);
    await expectLoss(hold, told, 'taken');

    expect(before[0]).toBe('held');
    // Not even what is late takes anything from Java.
    expect(await state(kind, raw, name)).toEqual(untouched(before[1]));
    expect(await kind.inside(name)).toEqual([grant.id]);
    await grant.leave();
    expect(await raw.exists(name)).toBe(0);
    await dropReader(raw, name, hold);
  });

  test('every hold of one holder is lost, each told once', async (context) => {
    stopTimers();
    const { name, java, node } = await open(context);
    const lock = kind.node(node, name);
    const outer = await lock.acquire();
    const inner = await lock.acquire({ within: outer });
    const told = listenTo(node, outer);

    await java.thread('force').call(`${op}.forceUnlock`, name);
    const error: unknown = await inner.release().catch((reason: unknown) => reason);

    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
    expect([outer.state, inner.state]).toEqual(['lost', 'lost']);
    await expect(outer.release()).rejects.toMatchObject({ reason: 'deleted' });
    expect(told.lost).toEqual([error, outer.signal.reason]);
    expect(told.aborts).toEqual([outer.signal.reason]);
  });

  test('a waiter of Node gets in after the forced unlock', async (context) => {
    const isRead = kind.what === 'read lock';
    if (!isRead) {
      // A writer behind readers of Node asks by itself: it is not notified of what Java does.
      stopTimers();
    }
    const world = await open(context);
    const { name, raw, java, node } = world;
    const hold = await kind.node(node, name).acquire();
    const waiting = rival.node(world.open(), name).acquire();
    await listening(name);

    await java.thread('force').call(`${op}.forceUnlock`, name);
    const next = await waiting;

    expect(await kind.inside(name)).toEqual([next.holderId]);
    await expect(hold.release()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' });
    expect(await kind.inside(name)).toEqual([next.holderId]);
    await next.release();
    if (isRead) {
      // Java leaves it (R10), and the reader has heard of its loss before it could release anything.
      await raw.del(`{${name}}:${hold.holderId}:rwlock_timeout:1`);
    }
  });
});

describe.each(titled(lockKinds))('%s: Node frees what Java holds', (_, kind) => {
  const { op, rival } = kind;
  test('Java finds at its unlock that it has it no more', async (context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('holder'), kind.node(node, name)];
    await thread.call(`${op}.lock`, name);
    await thread.call(`${op}.lock`, name);

    const forced = [await lock.forceRelease(), await lock.forceRelease()];
    const isHeld = await thread.call(`${op}.isHeld`, name);
    const count = await thread.call(`${op}.holdCount`, name);
    const unlocking = thread.call(`${op}.unlock`, name);

    if (kind === fairLock) {
      // Q9: to unlock a fair lock that is gone succeeds, for anybody.
      expect(await unlocking).toBeNull();
    } else {
      await expect(unlocking).rejects.toMatchObject(NOT_OWNER);
    }
    expect([forced, isHeld, count]).toEqual([[true, false], false, 0]);
    expect(await raw.exists(name)).toBe(0);
    expect(await raw.keys(`*${name}*:rwlock_timeout:*`)).toEqual([]);
  });

  test('neither watchdog nor unlock of Java touch what Node has now', async (context) => {
    const { name, raw, java, node } = await open(context, { java: { leaseMs: 1_500 } });
    const thread = java.thread('holder');
    await thread.call(`${op}.lock`, name);
    const holderId = await thread.holderId();
    const lock = kind.node(node, name);
    await lock.forceRelease();
    const hold = await rival.node(node, name).acquire({ leaseMs: 20_000 });
    const before = await state(kind, raw, name);
    await monitor.news();

    await eventually(
      async () => {
        const ticks = (await monitor.news()).filter(
          ({ who, inScript, command: [, key, field] }) =>
            who === 'java' && inScript && key === name && field === kind.field(holderId),
        );
        return ticks.length > 0;
      },
      { withinMs: 15_000, everyMs: 50 },
    );
    const afterTick = await state(kind, raw, name);
    const isHeld = await thread.call(`${op}.isHeld`, name);
    await expect(thread.call(`${op}.unlock`, name)).rejects.toMatchObject(NOT_OWNER);

    expect(afterTick).toEqual(untouched(before));
    expect(isHeld).toBe(false);
    expect(await state(kind, raw, name)).toEqual(untouched(before));
    expect(await kind.inside(name)).toEqual([hold.holderId]);
    await hold.release();
    expect(await raw.exists(name)).toBe(0);
  });

  test('a waiter of Java gets in by the message of the forced release', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('holder');
    // Java sleeps for as long as this lease lasts, unless it is woken.
    await thread.call(`${op}.lock`, name, { leaseMs: 600_000 });
    const waiting = rival.java.enter(java.thread('waiter'), name, { leaseMs: 60_000 });
    await eventually(async () => (await java.parked()) === 1, { withinMs: 10_000 });

    await kind.node(node, name).forceRelease();
    const grant = await waiting;

    expect(await kind.inside(name)).toEqual([grant.id]);
    await expect(thread.call(`${op}.unlock`, name)).rejects.toMatchObject(NOT_OWNER);
    expect(await kind.inside(name)).toEqual([grant.id]);
    await grant.leave();
  });
});

describe('read-write lock', () => {
  test('Java frees a writer of Node with its reads', async (context) => {
    stopTimers();
    const { name, raw, java, node } = await open(context);
    const lock = node.getReadWriteLock(name);
    const write = await lock.writeLock.acquire();
    const { lost } = listenTo(node, write);
    const read = await lock.readLock.acquire({ within: write });

    await java.thread('force').call('write.forceUnlock', name);
    nextRenewal();
    await eventually(() => lost.length === 2, { withinMs: 10_000 });

    expect([write.state, read.state]).toEqual(['lost', 'lost']);
    expect(lost.map(({ reason }) => reason)).toEqual(['deleted', 'deleted']);
    await expect(read.release()).rejects.toMatchObject({ reason: 'deleted' });
    await expect(write.release()).rejects.toMatchObject({ reason: 'deleted' });
    expect(await dropReader(raw, name, read)).toBe(2);
  });

  test.for([
    ['read', 'write'],
    ['write', 'read'],
  ] as const)('to free the %s side leaves a holder of the other', async ([mine, its], context) => {
    const { name, raw, java, node } = await open(context);
    const [thread, lock] = [java.thread('java'), node.getReadWriteLock(name)];
    const [mySide, itsSide] = [lock[`${mine}Lock`], lock[`${its}Lock`]];

    const hold = await itsSide.acquire({ leaseMs: 60_000 });
    const ofNode = await raw.hgetall(name);
    const byJava = await thread.call(`${mine}.forceUnlock`, name);
    expect([byJava, await raw.hgetall(name)]).toEqual([false, ofNode]);
    await hold.release();

    await thread.call(`${its}.lock`, name);
    const ofJava = await raw.hgetall(name);
    const byNode = await mySide.forceRelease();
    expect([byNode, await raw.hgetall(name)]).toEqual([false, ofJava]);
    await thread.call(`${its}.unlock`, name);
    expect(await raw.exists(name)).toBe(0);
  });
});
