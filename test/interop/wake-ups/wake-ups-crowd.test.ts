// Scenario 1: three Node waiters of two clients behind Java. All get in by messages alone.

import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { startMonitor } from '../support/monitor.js';
import { stepReader, type Steps } from '../support/steps.js';
import { untilAsleep } from './sleeps.js';
import { firstOf, isLined, kindNamed, kinds, type Kind, type Leave } from './wake-up-kinds.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('wake-ups-crowd');
let stepsOf: ReturnType<typeof stepReader>;

beforeAll(async () => {
  stepsOf = stepReader(await startMonitor());
});

interface Crowd extends World {
  readonly steps: Steps;
  readonly release: Leave;
  /** In their order. */
  readonly waiters: readonly Promise<Leave>[];
}

/** Java is in; behind it wait one of a client, one of another, and another one of the first. */
async function crowd(
  kind: Pick<Kind, 'what' | 'nodeWaits'>,
  context: Parameters<typeof open>[0],
  holds: (world: World) => Promise<Leave>,
): Promise<Crowd> {
  stopTimers();
  const world = await open(context);
  const { name, node } = world;
  const steps = stepsOf(name);
  const release = await holds(world);
  await steps.take();
  const wait = async (client: Client): Promise<Leave> => {
    return await firstOf(kind.nodeWaits)(client, name);
  };
  const first = wait(node);
  await untilAsleep(steps, node);
  const other = world.open();
  const second = wait(other);
  await untilAsleep(steps, other, !isLined(kind));
  const third = wait(node);
  // It joins the first one, and may ask and listen by itself.
  await node.getLock(`${name}-other`).isLocked();
  await steps.take();
  return { ...world, steps, release, waiters: [first, second, third] };
}

async function allLeave(waiters: Crowd['waiters']): Promise<void> {
  await Promise.all((await Promise.all(waiters)).map(async (leave) => await leave()));
}

const holdOf =
  (kind: Kind) =>
  async ({ java, name }: World): Promise<Leave> =>
    await kind.javaHolds(java.thread('holder'), name);

describe.each(['read lock behind a writer', 'latch'])('%s', (what) => {
  test('one message lets all three in, with one script of each client', async (context) => {
    const kind = kindNamed(what);
    const { steps, release, waiters } = await crowd(kind, context, holdOf(kind));

    await release();
    await Promise.all(waiters);

    const entry = `node ${kind.entry}`;
    await steps.expect([`java tells ${kind.message}`, entry, entry]);
    await allLeave(waiters);
  });
});

describe('three permits released by Java at once', () => {
  test('semaphore: one message lets all three in, with one script of each client', async (context) => {
    const kind = kindNamed('semaphore');
    const { steps, release, waiters } = await crowd(kind, context, async ({ java, name }) => {
      const thread = java.thread('holder');
      await thread.call('semaphore.trySetPermits', name, { permits: 3 });
      await thread.call('semaphore.acquire', name, { permits: 3 });
      return async () => await thread.call('semaphore.release', name, { permits: 3 });
    });

    await release();
    await Promise.all(waiters);

    await steps.expect(['java tells 3', 'node enters', 'node enters']);
    await allLeave(waiters);
  });

  test('permit-expirable semaphore: the same', async (context) => {
    const kind = kindNamed('permit-expirable semaphore');
    const { steps, release, waiters } = await crowd(kind, context, async ({ java, name }) => {
      const thread = java.thread('holder');
      await thread.call('permits.trySetPermits', name, { permits: 3 });
      const ids = await thread.call<string[]>('permits.acquireMany', name, { permits: 3 });
      return async () => await thread.call('permits.tryReleaseMany', name, { ids });
    });

    await release();
    await Promise.all(waiters);

    await steps.expect(['java tells 3', 'node enters', 'node enters']);
    await allLeave(waiters);
  });
});

const exclusive = kinds.filter(
  ({ what }) => what !== 'latch' && what !== 'read lock behind a writer',
);

describe.each(exclusive.map((kind) => [kind.what, kind] as const))('%s', (_, kind) => {
  test('the three get in one after the other', async (context) => {
    const { steps, release, waiters } = await crowd(kind, context, holdOf(kind));
    const order: number[] = [];
    let inside = 0;

    await release();
    await Promise.all(
      waiters.map(async (waiter, i) => {
        const leave = await waiter;
        inside += 1;
        expect(inside).toBe(1);
        order.push(i);
        inside -= 1;
        await leave();
      }),
    );

    const made = await steps.take();
    expect(made[0]).toBe(`java tells ${kind.message}`);
    expect(order).toHaveLength(3);
    if (!isLined(kind)) {
      // Each message makes each client ask once, each release its own client besides.
      const messages = made.filter((step) => step.includes('tells')).length;
      const asked = made.filter((step) => /asks|enters/.test(step)).length;
      expect(asked).toBeLessThanOrEqual(3 * messages);
    }
    if (kind.what === 'fair lock') {
      expect(order).toEqual([0, 1, 2]);
    }
  });
});

test('of two Java readers only the last one to leave lets Node’s writers in', async (context) => {
  const kind = kindNamed('write lock behind a reader');
  const { java, name, steps, release, waiters } = await crowd(kind, context, async (world) => {
    await world.java.thread('other').call('read.lock', world.name);
    return await holdOf(kind)(world);
  });
  const isIn = Promise.race(waiters).then(() => true);

  await release();
  await steps.expect(['java leaves']);
  expect(await Promise.race([isIn, Promise.resolve(false)])).toBe(false);

  await java.thread('other').call('read.unlock', name);
  await Promise.all(waiters.map(async (waiter) => await (await waiter)()));
  const made = await steps.take();
  expect(made.slice(0, 2)).toEqual(['java tells 0', expect.stringMatching(/^node enters/)]);
});
