// Counting semaphores: negative counts, lives, and what draining leaves, as the other side sees them.

import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import type { JavaThread } from '../support/java.js';
import { startMonitor } from '../support/monitor.js';
import { stepReader } from '../support/steps.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('semaphore');

let readSteps: ReturnType<typeof stepReader>;

beforeAll(async () => {
  readSteps = stepReader(await startMonitor());
});

const nodeWaits = ['node asks', 'node listens', 'node asks'];
const channelOf = ({ name }: World): string => `redisson_sc:{${name}}`;

async function ttlMs(thread: JavaThread, { name }: World): Promise<number> {
  return await thread.call<number>('semaphore.remainTimeToLive', name);
}

describe('S4: below zero', () => {
  test('Java tells so, and Node goes on waiting until there is a permit', async (context) => {
    stopTimers();
    const world = await open(context);
    const { name, java, node } = world;
    const steps = readSteps(name);
    const thread = java.thread('main');
    const semaphore = node.getSemaphore(name);
    await thread.call('semaphore.trySetPermits', name, { permits: 0 });
    await steps.take();
    const waiting = semaphore.acquire();
    await steps.expect(nodeWaits);

    await thread.call('semaphore.addPermits', name, { permits: -3 });
    await thread.call('semaphore.release', name);
    expect(await semaphore.availablePermits()).toBe(-2);
    await thread.call('semaphore.release', name, { permits: 2 });
    await thread.call('semaphore.release', name);

    const permit = await waiting;
    const told = (await steps.take()).filter((step) => step.includes('tells'));
    expect(told).toEqual(['java tells -3', 'java tells -2', 'java tells 0', 'java tells 1']);
    await permit.release();
    expect(await thread.call('semaphore.availablePermits', name)).toBe(1);
  });

  test('Node tells nobody, and Java gets in when there is a permit', async (context) => {
    const world = await open(context);
    const { name, java, node } = world;
    const semaphore = node.getSemaphore(name);
    const messages = await messagesOn(channelOf(world), { context });
    // The one message about no permits: who waits for the semaphore to be made asks then.
    await semaphore.trySetPermits(0);
    const threads = [java.thread('first'), java.thread('second')];
    const waiting = threads.map(async (thread, i) => {
      await thread.call('semaphore.acquire', name, { async: i === 1 });
    });
    await eventually(async () => (await java.parked()) === 2);

    await semaphore.addPermits(-3);
    await semaphore.addPermits(1);
    await semaphore.release();
    expect(await semaphore.drainPermits()).toBe(0);
    await semaphore.release();
    expect(await semaphore.availablePermits()).toBe(0);
    expect(await java.parked()).toBe(2);
    await semaphore.release(2);

    await Promise.all(waiting);
    await eventually(() => expect(messages).toEqual(['0', '2']));
    expect(await semaphore.availablePermits()).toBe(0);
  });

  test('a negative count that Java tells costs Java’s own waiters nothing but itself', async (context) => {
    const { name, java, node } = await open(context);
    const semaphore = node.getSemaphore(name);
    await semaphore.trySetPermits(0);
    const waiting = java.thread('waiter').call('semaphore.acquire', name);
    await eventually(async () => (await java.parked()) === 1);
    await java.thread('main').call('semaphore.addPermits', name, { permits: -1 });

    await semaphore.addPermits(2);

    await waiting;
    expect(await semaphore.availablePermits()).toBe(0);
  });
});

describe('S5: a life', () => {
  const lifeMs = 60_000;

  test('that Node gave is seen by Java, and kept by all that Node does', async (context) => {
    const world = await open(context);
    const { name, java, node } = world;
    const thread = java.thread('main');
    const semaphore = node.getSemaphore(name);
    expect(await semaphore.trySetPermits(3, { ttlMs: lifeMs })).toBe(true);
    const permit = await semaphore.acquire();
    await thread.call('semaphore.acquire', name);
    await permit.release();
    await thread.call('semaphore.release', name);
    await semaphore.addPermits(2);
    expect(await semaphore.drainPermits()).toBe(5);

    const leftMs = await ttlMs(thread, world);

    expect(leftMs).toBeGreaterThan(lifeMs / 2);
    expect(leftMs).toBeLessThanOrEqual(lifeMs);
  });

  test.for([
    ['addPermits', { permits: 1 }, null, 4],
    ['drainPermits', {}, 3, 0],
  ] as const)(
    'that Node gave is dropped by Java’s %s',
    async ([method, args, answer, left], context) => {
      const world = await open(context);
      const { name, java, node } = world;
      const thread = java.thread('main');
      const semaphore = node.getSemaphore(name);
      await semaphore.trySetPermits(3, { ttlMs: lifeMs });

      expect(await thread.call(`semaphore.${method}`, name, args)).toBe(answer);

      expect(await ttlMs(thread, world)).toBe(-1);
      expect(await semaphore.availablePermits()).toBe(left);
    },
  );

  test('that Java gave is kept by all that Node does, and ends for both', async (context) => {
    const world = await open(context);
    const { name, java, node } = world;
    const thread = java.thread('main');
    const semaphore = node.getSemaphore(name);
    const args = { permits: 3, ttlMs: 6_000 };
    expect(await thread.call('semaphore.trySetPermits', name, args)).toBe(true);
    expect(await semaphore.trySetPermits(1)).toBe(false);
    await semaphore.addPermits(2);
    expect(await semaphore.drainPermits()).toBe(5);
    await semaphore.release();
    expect(await ttlMs(thread, world)).toBeGreaterThan(0);

    await eventually(async () => (await semaphore.availablePermits()) === 0, { withinMs: 20_000 });

    expect(await thread.call('semaphore.availablePermits', name)).toBe(0);
    expect(await semaphore.trySetPermits(1)).toBe(true);
    expect(await thread.call('semaphore.trySetPermits', name, { permits: 2 })).toBe(false);
  });
});

describe('draining', () => {
  test('takes what is left from both, and waiters of both get what comes after', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('main');
    const semaphore = node.getSemaphore(name);
    await semaphore.trySetPermits(7);
    expect(await thread.call('semaphore.drainPermits', name)).toBe(7);
    expect(await semaphore.drainPermits()).toBe(0);
    expect(await semaphore.tryAcquire()).toBe(null);
    await semaphore.release(4);
    expect(await semaphore.drainPermits()).toBe(4);
    expect(await thread.call('semaphore.drainPermits', name)).toBe(0);
    expect(await thread.call('semaphore.tryAcquire', name)).toBe(false);

    const javaWaits = thread.call('semaphore.acquire', name);
    await eventually(async () => (await java.parked()) === 1);
    await semaphore.release();
    await javaWaits;
    const nodeWaiting = semaphore.acquire();
    await java.thread('helper').call('semaphore.release', name);
    await nodeWaiting;
    expect(await semaphore.availablePermits()).toBe(0);
  });

  test('what is missing stays missing when Node drains, and is forgiven when Java does', async (context) => {
    const { name, java, node } = await open(context);
    const thread = java.thread('main');
    const semaphore = node.getSemaphore(name);
    await semaphore.addPermits(-2);

    expect(await semaphore.drainPermits()).toBe(0);
    expect(await thread.call('semaphore.availablePermits', name)).toBe(-2);
    expect(await thread.call('semaphore.drainPermits', name)).toBe(-2);
    expect(await semaphore.availablePermits()).toBe(0);
  });
});
