// Scenario 1: messages of Node that Redisson itself makes too little of, by their register ids.

import { beforeAll, expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { ProxyConnection } from '../../support/proxy.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import type { JavaClient } from '../support/java.js';
import { startMonitor } from '../support/monitor.js';
import { stepReader } from '../support/steps.js';
import { LONG_LEASE_MS } from './wake-up-kinds.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('wake-ups-lost');
let stepsOf: ReturnType<typeof stepReader>;

beforeAll(async () => {
  stepsOf = stepReader(await startMonitor());
});

/** Waits until so many Java callers sleep until a message comes. */
async function asleep(java: JavaClient, count: number): Promise<void> {
  await eventually(async () => (await java.parked()) === count, { withinMs: 20_000 });
}

async function emptySemaphore(semaphore: Semaphore): Promise<void> {
  await semaphore.trySetPermits(3);
  await semaphore.drainPermits();
}

test('S1: a Java thread that needs more takes the message of one that needs less', async (context) => {
  const { name, raw, java, node } = await open(context);
  const steps = stepsOf(name);
  const semaphore = node.getSemaphore(name);
  await emptySemaphore(semaphore);
  const big = java.thread('big').call('semaphore.acquire', name, { permits: 5 });
  await asleep(java, 1);
  const small = java.thread('small').call('semaphore.acquire', name, { permits: 1 });
  await asleep(java, 2);
  await steps.take();

  await semaphore.release(1);
  await steps.expect(['node tells 1', 'java asks']);
  await asleep(java, 2);
  expect(await raw.get(name)).toBe('1');

  await semaphore.release(1);
  await small;
  await asleep(java, 1);
  await semaphore.release(4);
  await big;
});

test('S2: a release of three permits lets one of three asynchronous Java callers in', async (context) => {
  const { name, raw, java, node } = await open(context);
  const steps = stepsOf(name);
  const semaphore = node.getSemaphore(name);
  await emptySemaphore(semaphore);
  const callers = [1, 2, 3].map(
    async (i) => await java.thread(`${i}`).call('semaphore.acquire', name, { async: true }),
  );
  await asleep(java, 3);
  await steps.take();

  await semaphore.release(3);
  await steps.expect(['node tells 3', 'java enters']);
  await asleep(java, 2);
  expect(await raw.get(name)).toBe('2');

  // Each further message lets one more in.
  await semaphore.release(1);
  await steps.expect(['node tells 3', 'java enters']);
  await asleep(java, 1);
  await semaphore.release(1);
  await steps.expect(['node tells 3', 'java enters']);
  await Promise.all(callers);
});

test('R2: a Java reader that hears of a writer’s end before it has gone to sleep sleeps on', async (context) => {
  const world = await open(context, { node: { leaseMs: LONG_LEASE_MS } });
  const { name, node } = world;
  const proxy = await startProxy({ target: redisUrl() });
  const java = await world.openJava({ url: proxy.url });
  const steps = stepsOf(name);
  const write = await node.getReadWriteLock(name).writeLock.acquire();
  const [early, late] = [java.thread('early'), java.thread('late')];
  const earlyRead = early.call('read.lock', name);
  await asleep(java, 1);
  const lateId = await late.holderId();
  await steps.take();

  // The server says "busy" to the late one's second attempt; its answer stays under way.
  let attempts = 0;
  let answering: ProxyConnection | undefined;
  const second = proxy.holdRequests((command, connection) => {
    attempts += command.includes(lateId) ? 1 : 0;
    answering ??= attempts === 2 ? connection : undefined;
    return attempts === 2;
  });
  const lateRead = late.call('read.lock', name);
  await eventually(() => second.held.length === 1);
  answering?.down.stop('paused');
  second.release();
  await steps.expect(['java asks', 'java asks']);

  await write.release();
  await earlyRead;
  await steps.expect(['node tells 1', 'java enters']);
  answering?.down.go('paused');
  await asleep(java, 1);
  await steps.expect([]);

  await early.call('read.unlock', name);
  await lateRead;
  await steps.expect(['java tells 0', 'java enters']);
  await late.call('read.unlock', name);
});
