// Scenario 7: short and long read leases beside each other, and readers that die.

import { describe, expect, test } from 'vitest';
import type { Finishing } from '../../faults/world.js';
import { RwView } from '../../integration/rwlock/rwlock.js';
import { eventually } from '../../support/eventually.js';
import { startWorker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { JavaProgram, type JavaClient } from '../support/java.js';
import { coveringMs } from './rwlock.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('rwlock-leases');

const SHORT_MS = 3_000;
/** Longer than a test may last. */
const LONG_MS = 120_000;
const long = { node: { leaseMs: LONG_MS }, java: { leaseMs: LONG_MS } };

/** Waits until nothing says any more that a reader lives. */
async function leaseEnd(view: RwView, holderId: string): Promise<void> {
  const key = view.holdKey(holderId);
  expect(await view.raw.pttl(key)).toBeLessThanOrEqual(SHORT_MS);
  await eventually(async () => (await view.raw.exists(key)) === 0, { withinMs: 30_000 });
}

/** Takes away the private record of readers of ours who did not leave by themselves: it lives as long
 * as the lock would have, also when Java has freed that. */
function forgetReaders({ onTestFinished }: Finishing, view: RwView): void {
  onTestFinished(async () => void (await view.raw.del(view.readers)));
}

describe('the lock lives as long as the longest of its holds', () => {
  test('a long lease of Java, beside a short one of Node that comes and goes', async (context) => {
    const { name, raw, java, node } = await open(context);
    const view = new RwView(raw, name);
    const { readLock } = node.getReadWriteLock(name);
    const thread = java.thread('long');
    forgetReaders(context, view);

    const first = await readLock.acquire({ leaseMs: SHORT_MS });
    await thread.call('read.lock', name, { leaseMs: LONG_MS });
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);
    const second = await readLock.acquire({ leaseMs: SHORT_MS });
    const inner = await readLock.acquire({ within: second, leaseMs: 2 * SHORT_MS });
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);
    await inner.release();
    await second.release();
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);

    await leaseEnd(view, first.holderId);
    expect(first.isHeld).toBe(false);
    expect(await thread.call('read.holdCount', name)).toBe(1);
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);
    await thread.call('read.unlock', name);
    expect(await view.fields()).toEqual({});
  });

  test('a long lease of Node, beside a short one of Java that comes and goes', async (context) => {
    const { name, raw, java, node } = await open(context);
    const view = new RwView(raw, name);
    const { readLock } = node.getReadWriteLock(name);
    const [first, second] = [java.thread('first'), java.thread('second')];

    await first.call('read.lock', name, { leaseMs: SHORT_MS });
    const hold = await readLock.acquire({ leaseMs: LONG_MS });
    const inner = await readLock.acquire({ within: hold, leaseMs: SHORT_MS });
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);
    await second.call('read.lock', name, { leaseMs: SHORT_MS });
    await second.call('read.unlock', name);
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);

    await leaseEnd(view, await first.holderId());
    await inner.release();
    await second.call('read.lock', name, { leaseMs: SHORT_MS });
    await second.call('read.unlock', name);
    expect(await coveringMs(view)).toBeGreaterThan(LONG_MS / 2);
    expect(hold.isHeld).toBe(true);
    await hold.release();
    expect(await view.fields()).toEqual({});
  });

  test('beside a short lease of Node only, that is what a Java reader leaves behind', async (context) => {
    const { name, raw, java, node } = await open(context);
    const view = new RwView(raw, name);
    const hold = await node.getReadWriteLock(name).readLock.acquire({ leaseMs: 5 * SHORT_MS });
    await java.thread('long').call('read.lock', name, { leaseMs: LONG_MS });
    await java.thread('long').call('read.unlock', name);

    const leftMs = await coveringMs(view);

    expect(leftMs).toBeGreaterThanOrEqual(hold.remainingMs);
    expect(leftMs).toBeLessThanOrEqual(5 * SHORT_MS);
    await hold.release();
    expect(await view.fields()).toEqual({});
  });
});

/** Reads in a process of its own, with a short lease that is renewed. */
interface Reader {
  readonly holderId: string;
  kill(): Promise<unknown>;
}

async function javaReader(name: string): Promise<Reader> {
  const program = JavaProgram.start();
  const client = await program.open({ url: redisUrl(), leaseMs: SHORT_MS });
  const thread = client.thread('reader');
  await thread.call('read.lock', name);
  return { holderId: await thread.holderId(), kill: async () => await program.kill() };
}

async function nodeReader(context: Finishing, view: RwView): Promise<Reader> {
  const args = [redisUrl(), view.name, 'readLock', String(SHORT_MS)];
  const worker = startWorker('rwlock', { args });
  const { holderId } = await worker.message('held', { withinMs: 20_000 });
  forgetReaders(context, view);
  return { holderId: String(holderId), kill: async () => await worker.kill() };
}

/** A Java thread that waits to write: what ends its wait, until it has unlocked. */
async function javaWrites(java: JavaClient, name: string): Promise<{ done: Promise<unknown> }> {
  const writer = java.thread('writer');
  const done = writer.call('write.lock', name).then(async () => {
    await writer.call('write.unlock', name);
  });
  await eventually(async () => (await java.parked()) === 1, { withinMs: 20_000 });
  return { done };
}

describe('a reader of Java that was killed, beside readers of Node', () => {
  test('costs a Node writer its own lease when the others leave before', async (context) => {
    const world = await open(context, long);
    const { name, raw, node } = world;
    const view = new RwView(raw, name);
    const locks = [node, world.open(long.node)].map((client) => client.getReadWriteLock(name));
    const holds = await Promise.all(locks.map(async ({ readLock }) => await readLock.acquire()));
    const dead = await javaReader(name);
    const writing = world.open().getReadWriteLock(name).writeLock.acquire();
    await view.writersWait(1);

    await dead.kill();
    await Promise.all(holds.map(async (hold) => await hold.release()));

    expect(await view.fields()).toEqual({ mode: 'read', [dead.holderId]: '1' });
    expect(await raw.pttl(name)).toBeGreaterThan(LONG_MS / 2);
    await leaseEnd(view, dead.holderId);
    const hold = await writing;
    expect(await view.fields()).toEqual({ mode: 'write', [`${hold.holderId}:write`]: '1' });
    await hold.release();
  });

  test('costs it nothing when the others leave later, though its field stays (R8)', async (context) => {
    const world = await open(context, long);
    const { name, raw, node } = world;
    const view = new RwView(raw, name);
    const reading = await node.getReadWriteLock(name).readLock.acquire();
    const dead = await javaReader(name);
    const writing = world.open().getReadWriteLock(name).writeLock.acquire();
    await view.writersWait(1);
    await dead.kill();
    await leaseEnd(view, dead.holderId);
    await view.listened(1);
    expect(await view.fields()).toEqual({
      mode: 'read',
      [reading.holderId]: '1',
      [dead.holderId]: '1',
    });

    await reading.release();

    expect((await view.fields())['mode']).toBe('write');
    await (await writing).release();
    expect(await view.fields()).toEqual({});
  });
});

describe('a reader of Node that was killed', () => {
  test('alone, costs a Java writer its lease', async (context) => {
    const { name, raw, java } = await open(context, long);
    const view = new RwView(raw, name);
    const dead = await nodeReader(context, view);
    const writing = await javaWrites(java, name);

    await dead.kill();

    expect(await view.fields()).toEqual({ mode: 'read', [dead.holderId]: '1' });
    await leaseEnd(view, dead.holderId);
    await writing.done;
    expect(await view.fields()).toEqual({});
  });

  test('costs a Java writer nothing when a Node reader leaves later', async (context) => {
    const { name, raw, java, node } = await open(context, long);
    const view = new RwView(raw, name);
    const reading = await node.getReadWriteLock(name).readLock.acquire();
    const dead = await nodeReader(context, view);
    const writing = await javaWrites(java, name);
    await dead.kill();
    await leaseEnd(view, dead.holderId);

    await reading.release();

    await writing.done;
    expect(await view.fields()).toEqual({});
  });

  test('costs a Java writer nothing when a Java reader leaves later', async (context) => {
    const { name, raw, java } = await open(context, long);
    const view = new RwView(raw, name);
    const reader = java.thread('reader');
    await reader.call('read.lock', name);
    const dead = await nodeReader(context, view);
    const writing = await javaWrites(java, name);
    await dead.kill();
    await leaseEnd(view, dead.holderId);
    expect(await view.fields()).toMatchObject({ [dead.holderId]: '1' });

    await reader.call('read.unlock', name);

    await writing.done;
    expect(await view.fields()).toEqual({});
  });

  test('costs a Java writer the longest lease when the others leave before (R5)', async (context) => {
    const { name, raw, java, node } = await open(context, long);
    const view = new RwView(raw, name);
    const longestMs = 4 * SHORT_MS;
    const dead = await nodeReader(context, view);
    const reading = await node.getReadWriteLock(name).readLock.acquire({ leaseMs: longestMs });
    const writing = await javaWrites(java, name);

    await dead.kill();
    await reading.release();
    await leaseEnd(view, dead.holderId);

    // The lock was never made to end sooner, and nobody is left who would take the dead one out.
    const leftMs = await raw.pttl(name);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThan(longestMs);
    expect(await view.fields()).toEqual({ mode: 'read', [dead.holderId]: '1' });
    await writing.done;
    expect(await view.fields()).toEqual({});
  });
});
