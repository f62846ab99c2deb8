// Scenario 7: whom the messages of a read-write lock wake, and who may pass whom.

import { beforeAll, describe, expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { RwView } from '../../integration/rwlock/rwlock.js';
import { eventually } from '../../support/eventually.js';
import type { JavaClient, JavaThread } from '../support/java.js';
import { startMonitor, type Monitor } from '../support/monitor.js';
import { stepReader } from '../support/steps.js';
import { interopWorlds, stopTimers } from '../support/world.js';

const open = interopWorlds('rwlock-wake-ups');
let monitor: Monitor;

beforeAll(async () => {
  monitor = await startMonitor();
});

/** Longer than a test may last: of Java's waiters nobody looks again before it has got a message. */
const LONG_MS = 120_000;
const long = { node: { leaseMs: LONG_MS }, java: { leaseMs: LONG_MS } };

function threadsOf(java: JavaClient, count: number): JavaThread[] {
  return Array.from({ length: count }, (_, i) => java.thread(`waiter-${i}`));
}

async function asleep(java: JavaClient, count: number): Promise<void> {
  await eventually(async () => (await java.parked()) === count, { withinMs: 20_000 });
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  await Promise.all(holds.map(async (hold) => await hold.release()));
}

describe('a writer leaves', () => {
  test('Java’s message wakes the readers and writers of five Node clients', async (context) => {
    stopTimers();
    const world = await open(context, long);
    const { name, raw, java } = world;
    const view = new RwView(raw, name);
    const writer = java.thread('writer');
    const locks = Array.from({ length: 5 }, () => world.open(long.node).getReadWriteLock(name));
    await writer.call('write.lock', name);
    const reads = locks
      .slice(0, 3)
      .flatMap(({ readLock }) => [readLock.acquire(), readLock.acquire()]);
    await view.readersWait(3);
    const writes = locks.slice(3).map(async ({ writeLock }) => {
      return await writeLock.using((hold) => hold.holderId);
    });
    await view.writersWait(2);
    await view.listened(5);

    await writer.call('write.unlock', name);

    // All at once: nobody of them leaves before the last one is in.
    const reading = await Promise.all(reads);
    const holders = reading.map(({ holderId }) => [holderId, '1']);
    expect(await view.fields()).toEqual({ mode: 'read', ...Object.fromEntries(holders) });
    await releaseAll(reading);
    expect(new Set(await Promise.all(writes)).size).toBe(2);
    expect(await view.fields()).toEqual({});
  });

  test.for([
    ['synchronous', {}],
    ['asynchronous', { async: true }],
  ] as const)('Node’s message wakes six %s readers of Java', async ([, form], context) => {
    const { name, raw, java, node } = await open(context, long);
    const view = new RwView(raw, name);
    const writing = await node.getReadWriteLock(name).writeLock.acquire();
    const threads = threadsOf(java, 6);
    const reads = threads.map(async (thread) => await thread.call('read.lock', name, form));
    await asleep(java, 6);

    await writing.release();

    await Promise.all(reads);
    expect(Object.keys(await view.fields())).toHaveLength(1 + 6);
    await Promise.all(threads.map(async (thread) => await thread.call('read.unlock', name, form)));
    expect(await view.fields()).toEqual({});
  });
});

describe('a writer that reads stops writing', () => {
  test('R1: Node tells it, and waiting readers of Java come in at once', async (context) => {
    const { name, raw, java, node } = await open(context, long);
    const view = new RwView(raw, name);
    const { readLock, writeLock } = node.getReadWriteLock(name);
    const writing = await writeLock.acquire();
    const own = await readLock.acquire({ within: writing });
    const threads = threadsOf(java, 4);
    const reads = threads.map(async (thread, i) => {
      await thread.call('read.lock', name, { async: i % 2 === 0 });
    });
    await asleep(java, 4);
    const messages = await view.messages();

    await writing.release();

    await Promise.all(reads);
    expect(messages).toEqual(['1']);
    await Promise.all(threads.map(async (thread) => await thread.call('read.unlock', name)));
    expect(await view.fields()).toEqual({ mode: 'read', [own.holderId]: '1' });
    expect(own.isHeld).toBe(true);
    await own.release();
  });

  test('R1: Java tells nobody, and waiting readers of Node come in when they look again', async (context) => {
    const world = await open(context, long);
    const { name, raw, java, node } = world;
    const view = new RwView(raw, name);
    const writer = java.thread('writer');
    await writer.call('write.lock', name);
    await writer.call('read.lock', name);
    const clients = [node, world.open(long.node)];
    const reads = clients.map((client) => client.getReadWriteLock(name).readLock.acquire());
    await view.readersWait(2);
    const messages = await view.messages();

    await writer.call('write.unlock', name);
    const startedAt = performance.now();

    const holds = await Promise.all(reads);
    // Each of them looks every 1.3 s.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(messages).toEqual([]);
    expect(await view.fields()).toMatchObject({ [await writer.holderId()]: '1' });
    await releaseAll(holds);
    await writer.call('read.unlock', name);
    expect(await view.fields()).toEqual({});
  });

  test('R1: a reader of Node that does not look again sleeps until Java stops reading too', async (context) => {
    stopTimers();
    const { name, raw, java, node } = await open(context, long);
    const view = new RwView(raw, name);
    const steps = stepReader(monitor)(name);
    const writer = java.thread('writer');
    await writer.call('write.lock', name);
    await writer.call('read.lock', name);
    await steps.take();
    const reading = node.getReadWriteLock(name).readLock.acquire();
    await steps.expect(['node asks', 'node listens', 'node asks']);

    await writer.call('write.unlock', name);
    await writer.call('read.lock', name);
    await writer.call('read.unlock', name);
    expect((await steps.take()).filter((step) => step.startsWith('node'))).toEqual([]);
    await writer.call('read.unlock', name);

    const hold = await reading;
    expect(await steps.take()).toEqual(['java tells 0', 'node enters']);
    expect(await view.fields()).toEqual({ mode: 'read', [hold.holderId]: '1' });
    await hold.release();
  });
});

describe('readers and writers in line', () => {
  test('R3: Java’s readers pass a waiting writer of Node, Node’s do not', async (context) => {
    const world = await open(context, long);
    const { name, raw, java, node } = world;
    const view = new RwView(raw, name);
    const [first, second] = [java.thread('first'), java.thread('second')];
    await first.call('read.lock', name);
    const order: string[] = [];
    const writing = node.getReadWriteLock(name).writeLock.acquire();
    const written = writing.then(async (hold) => {
      order.push('writer');
      await hold.release();
    });
    const [writer] = await view.writersWait(1);

    expect(await second.call('read.tryLock', name)).toBe(true);
    const { readLock } = world.open(long.node).getReadWriteLock(name);
    expect(await readLock.tryAcquire()).toBe(null);
    const reads = Array.from({ length: 3 }, async () => {
      await readLock.using(() => void order.push('reader'));
    });
    await view.readersWait(1);
    await first.call('read.unlock', name);
    expect(await readLock.tryAcquire()).toBe(null);
    await second.call('read.unlock', name);

    await Promise.all([written, ...reads]);
    expect(order).toEqual(['writer', 'reader', 'reader', 'reader']);
    expect((await writing).holderId).toBe(writer);
    expect(await view.fields()).toEqual({});
  });

  test('a writer of each language gets in when the last reader of Node leaves', async (context) => {
    stopTimers();
    const world = await open(context, long);
    const { name, raw, java, node } = world;
    const view = new RwView(raw, name);
    const { readLock } = node.getReadWriteLock(name);
    const outer = await readLock.acquire();
    const inner = await readLock.acquire({ within: outer });
    const other = await world.open(long.node).getReadWriteLock(name).readLock.acquire();
    const thread = java.thread('writer');
    const javaWrites = thread.call('write.lock', name).then(async () => {
      const fields = await view.fields();
      await thread.call('write.unlock', name);
      return fields;
    });
    await asleep(java, 1);
    const { writeLock } = world.open(long.node).getReadWriteLock(name);
    const nodeWrites = writeLock.using(async () => await view.fields());
    await view.writersWait(1);
    await view.listened(2);

    await outer.release();
    await other.release();
    expect(await view.fields()).toEqual({ mode: 'read', [inner.holderId]: '1' });
    await inner.release();

    const holderId = await thread.holderId();
    expect(await javaWrites).toEqual({ mode: 'write', [`${holderId}:write`]: '1' });
    expect(Object.keys(await nodeWrites)).toHaveLength(1 + 1);
    expect(await view.fields()).toEqual({});
  });

  test('a writer of Java gets in when the readers of Node leave, though more of them come', async (context) => {
    const world = await open(context, long);
    const { name, raw, java, node } = world;
    const view = new RwView(raw, name);
    const { readLock } = node.getReadWriteLock(name);
    const first = await readLock.acquire();
    const thread = java.thread('writer');
    const writing = thread.call('write.lock', name);
    await asleep(java, 1);

    // They know nothing of a writer of Java that waits.
    const second = await world.open(long.node).getReadWriteLock(name).readLock.acquire();
    await first.release();
    expect(await view.fields()).toEqual({ mode: 'read', [second.holderId]: '1' });
    await second.release();

    await writing;
    expect(await readLock.tryAcquire()).toBe(null);
    await thread.call('write.unlock', name);
  });
});
