// Scenario 1, the other way round: three Java waiters behind Node, sync and async.

import { beforeAll, describe, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startMonitor } from '../support/monitor.js';
import type { JavaClient, JavaThread } from '../support/java.js';
import { stepReader } from '../support/steps.js';
import { kindNamed, LONG_LEASE_MS, type Enter, type Leave } from './wake-up-kinds.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('wake-ups-java-crowd');
let stepsOf: ReturnType<typeof stepReader>;

beforeAll(async () => {
  stepsOf = stepReader(await startMonitor());
});

/** Three that wait, in this order, each until nothing but a message can let it in. */
async function threeWait(
  java: JavaClient,
  name: string,
  waits: Enter<JavaThread>,
): Promise<Promise<Leave>[]> {
  const waiters: Promise<Leave>[] = [];
  for (const thread of ['first', 'second', 'third']) {
    waiters.push(waits(java.thread(thread), name));
    await eventually(async () => (await java.parked()) === waiters.length, { withinMs: 20_000 });
  }
  return waiters;
}

describe.each(['read lock behind a writer', 'latch'])('%s', (what) => {
  const kind = kindNamed(what);

  test.for(Object.entries(kind.javaWaits))(
    'one message of Node lets all three in: %s',
    async ([, waits], context) => {
      const { name, java, node } = await open(context, { node: { leaseMs: LONG_LEASE_MS } });
      const steps = stepsOf(name);
      const release = await kind.nodeHolds(node, name);
      const waiters = await threeWait(java, name, waits);
      await steps.take();

      await release();
      const leaves = await Promise.all(waiters);

      const entry = `java ${kind.entry}`;
      await steps.expect([`node tells ${kind.message}`, entry, entry, entry]);
      await Promise.all(leaves.map(async (leave) => await leave()));
    },
  );
});

describe('semaphore', () => {
  const { 'acquire()': acquire, 'tryAcquire(wait)': tryAcquire } = kindNamed('semaphore').javaWaits;

  test.for(Object.entries({ acquire, tryAcquire }))(
    'a release of three permits lets all three threads in: %s',
    async ([, waits], context) => {
      const { name, java, node } = await open(context);
      const steps = stepsOf(name);
      const semaphore = node.getSemaphore(name);
      await semaphore.trySetPermits(3);
      const permits = await semaphore.acquire(3);
      const waiters = await threeWait(java, name, waits as Enter<JavaThread>);
      await steps.take();

      await permits.release();
      const leaves = await Promise.all(waiters);

      await steps.expect(['node tells 3', 'java enters', 'java enters', 'java enters']);
      await Promise.all(leaves.map(async (leave) => await leave()));
    },
  );
});

describe('permit-expirable semaphore', () => {
  test.for(Object.entries(kindNamed('permit-expirable semaphore').javaWaits))(
    'each permit that Node releases lets one of the three in: %s',
    async ([, waits], context) => {
      const { name, java, node } = await open(context, { node: { leaseMs: LONG_LEASE_MS } });
      const steps = stepsOf(name);
      const semaphore = node.getPermitExpirableSemaphore(name);
      await semaphore.trySetPermits(3);
      const permits = await semaphore.acquireMany(3);
      const waiters = await threeWait(java, name, waits);
      await steps.take();

      for (const [i, permit] of permits.entries()) {
        await permit.release();
        await steps.expect(['node tells 1', 'java enters']);
        await eventually(async () => (await java.parked()) === 2 - i, { withinMs: 10_000 });
      }

      const leaves = await Promise.all(waiters);
      await Promise.all(leaves.map(async (leave) => await leave()));
    },
  );
});
