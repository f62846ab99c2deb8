// Scenario 7: readers of both languages beside each other, and who of them keeps a writer out.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Hold } from '../../../src/index.js';
import { RwView } from '../../integration/rwlock/rwlock.js';
import { eventually } from '../../support/eventually.js';
import type { JavaThread } from '../support/java.js';
import { coveringMs } from './rwlock.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('rwlock');

/** Longer than a test may last: who gets in before has got a message. */
const LONG_MS = 120_000;
const long = { node: { leaseMs: LONG_MS }, java: { leaseMs: LONG_MS } };

interface Readers {
  readonly title: string;
  /** Reads with all of them; the holds in the order in which they may be released. */
  readonly enter: (world: World) => Promise<Hold[]>;
}

/** Reads so often through one holder. */
async function reenter({ name, node }: World, holds: number): Promise<Hold[]> {
  const { readLock } = node.getReadWriteLock(name);
  const entered = [await readLock.acquire()];
  while (entered.length < holds) {
    entered.push(await readLock.acquire({ within: entered[0]! }));
  }
  return entered;
}

const nodeReaders: Readers[] = [
  { title: 'one reader', enter: (world) => reenter(world, 1) },
  { title: 'a reader with two holds', enter: (world) => reenter(world, 2) },
  { title: 'a reader with three holds', enter: (world) => reenter(world, 3) },
  {
    title: 'readers of three clients',
    enter: async (world) => {
      const others = [world.open({ leaseMs: LONG_MS }), world.open({ leaseMs: LONG_MS })];
      const locks = others.map((client) => client.getReadWriteLock(world.name).readLock);
      const alone = await Promise.all(locks.map(async (lock) => await lock.acquire()));
      return [...(await reenter(world, 2)), ...alone];
    },
  },
  {
    title: 'a writer that reads twice and has stopped writing',
    enter: async ({ name, node }) => {
      const { readLock, writeLock } = node.getReadWriteLock(name);
      const writing = await writeLock.acquire();
      const reading = [
        await readLock.acquire({ within: writing }),
        await readLock.acquire({ within: writing }),
      ];
      await writing.release();
      return reading;
    },
  },
];

interface Stored {
  readonly fields: Record<string, string>;
  readonly holdKeys: string[];
}

async function stored(view: RwView): Promise<Stored> {
  return { fields: await view.fields(), holdKeys: await view.holdKeys() };
}

/** Fails unless every hold has a key that lives, for no longer than the lock itself. */
async function expectAlive(view: RwView, expected: Stored): Promise<void> {
  const now = await stored(view);
  expect(now).toEqual(expected);
  const { mode: _, ...counts } = now.fields;
  const holds = Object.values(counts).reduce((sum, count) => sum + Number(count), 0);
  expect(now.holdKeys).toHaveLength(holds);
  await coveringMs(view);
}

/** The holds of one Java reader end one by one, and another comes and goes meanwhile. */
async function comeAndGo(first: JavaThread, second: JavaThread, name: string): Promise<void> {
  await first.call('read.lock', name);
  await first.call('read.lock', name);
  await first.call('read.unlock', name);
  await second.call('read.lock', name);
  await first.call('read.unlock', name);
  await first.call('read.lock', name);
  await second.call('read.unlock', name);
  await first.call('read.unlock', name);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  for (const hold of holds) {
    await hold.release();
  }
}

describe.each(nodeReaders)('Node: $title', ({ enter }) => {
  test('Java’s readers leave them alone, and a Java writer waits for them', async (context) => {
    const world = await open(context, long);
    const { name, raw, java } = world;
    const view = new RwView(raw, name);
    const holds = await enter(world);
    const before = await stored(view);
    expect(before.fields).toMatchObject({ mode: 'read' });
    await expectAlive(view, before);

    const [first, second] = [java.thread('first'), java.thread('second')];
    await comeAndGo(first, second, name);
    await expectAlive(view, before);
    await comeAndGo(second, first, name);
    await expectAlive(view, before);
    expect(holds.every(({ isHeld }) => isHeld)).toBe(true);

    const writer = java.thread('writer');
    expect(await writer.call('write.tryLock', name)).toBe(false);
    const writing = writer.call('write.lock', name);
    await eventually(async () => (await java.parked()) === 1);
    const last = holds.pop()!;
    await releaseAll(holds);
    expect(await view.fields()).toEqual({ mode: 'read', [last.holderId]: '1' });
    await last.release();
    await writing;
    const holderId = await writer.holderId();
    expect(await view.fields()).toEqual({ mode: 'write', [`${holderId}:write`]: '1' });
    await writer.call('write.unlock', name);
  });

  test('they leave Java’s readers alone, and a Node writer waits for those', async (context) => {
    stopTimers();
    const world = await open(context, long);
    const { name, raw, java } = world;
    const view = new RwView(raw, name);
    const holds = await enter(world);
    const [first, second] = [java.thread('first'), java.thread('second')];
    await first.call('read.lock', name);
    await second.call('read.lock', name);
    await second.call('read.lock', name, { async: true });
    const [firstId, secondId] = [await first.holderId(), await second.holderId()];

    await releaseAll(holds);
    await expectAlive(view, {
      fields: { mode: 'read', [firstId]: '1', [secondId]: '2' },
      holdKeys: [
        view.holdKey(firstId),
        view.holdKey(secondId),
        view.holdKey(secondId, 2),
      ].toSorted(),
    });
    expect(await second.call('read.holdCount', name)).toBe(2);

    const writer = world.open({ leaseMs: LONG_MS }).getReadWriteLock(name).writeLock;
    expect(await writer.tryAcquire()).toBe(null);
    const writing = writer.acquire();
    await view.writersWait(1);
    await view.listened(1);
    await first.call('read.unlock', name);
    await second.call('read.unlock', name);
    expect(await view.fields()).toEqual({ mode: 'read', [secondId]: '1' });
    await second.call('read.unlock', name);
    const hold = await writing;
    expect(await view.fields()).toEqual({ mode: 'write', [`${hold.holderId}:write`]: '1' });
    await hold.release();
  });
});

test('without their hold keys the last reader of Java would take the lock from them', async (context) => {
  const world = await open(context, long);
  const { name, raw, java } = world;
  const view = new RwView(raw, name);
  const [hold] = await reenter(world, 1);
  await raw.del(...(await view.holdKeys()));

  await comeAndGo(java.thread('first'), java.thread('second'), name);

  expect(await view.fields()).toEqual({});
  await expect(hold?.release()).rejects.toThrow(LeaseLostError);
});

test('renewed readers stay for three leases while readers of Java come and go', async (context) => {
  const leaseMs = 3_000;
  const world = await open(context, { node: { leaseMs }, java: { leaseMs } });
  const { name, raw, java } = world;
  const view = new RwView(raw, name);
  const holds = [...(await reenter(world, 3)), ...(await reenter(world, 1))];
  const before = await stored(view);
  const end = performance.now() + 3 * leaseMs;

  const [first, second, writer] = ['first', 'second', 'writer'].map((each) => java.thread(each));
  while (performance.now() < end) {
    await comeAndGo(first!, second!, name);
    await expectAlive(view, before);
    expect(await writer!.call('write.tryLock', name)).toBe(false);
  }

  expect(holds.every(({ isHeld }) => isHeld)).toBe(true);
  await releaseAll(holds);
  expect(await view.fields()).toEqual({});
});
