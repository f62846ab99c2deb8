// Scenario 8: who waits for a permit gets the one that the other side gives back, adds or lets expire.

import { beforeAll, describe, expect, test } from 'vitest';
import { LeaseLostError, type PermitExpirableSemaphore } from '../../../src/index.js';
import { listening } from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import type { JavaThread } from '../support/java.js';
import { startMonitor } from '../support/monitor.js';
import { NEVER, poolOf, serverMs } from '../support/permits.js';
import { stepReader } from '../support/steps.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('permits-waiting');

/** Longer than a test may last. */
const LEASE_MS = 120_000;

let readSteps: ReturnType<typeof stepReader>;

beforeAll(async () => {
  readSteps = stepReader(await startMonitor());
});

interface Sides {
  readonly world: World;
  readonly semaphore: PermitExpirableSemaphore;
  readonly thread: JavaThread;
  readonly helper: JavaThread;
}

/** A semaphore of so many permits. */
async function semaphoreOf(
  context: Parameters<typeof open>[0],
  permits: number,
  options: Parameters<typeof open>[1] = {},
): Promise<Sides> {
  const world = await open(context, options);
  const semaphore = world.node.getPermitExpirableSemaphore(world.name);
  await semaphore.trySetPermits(permits);
  const [thread, helper] = [world.java.thread('main'), world.java.thread('helper')];
  return { world, semaphore, thread, helper };
}

const channelOf = ({ name }: World): string => `redisson_sc:{${name}}`;

describe('a permit expires, and nobody says so', () => {
  test('of Java: Node gets it, at its score', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, 1);
    const permit = await thread.call<string>('permits.acquire', world.name, { leaseMs: 2_000 });
    const score = Number((await poolOf(world)).taken[permit]);
    const messages = await messagesOn(channelOf(world), { context });

    const got = await semaphore.acquire({ leaseMs: LEASE_MS });

    expect(await serverMs(world)).toBeGreaterThanOrEqual(score);
    expect(messages).toEqual([]);
    expect(Object.keys((await poolOf(world)).taken)).toEqual([got.id]);
    expect(await thread.call('permits.tryRelease', world.name, { permit })).toBe(false);
    await got.release();
    expect(await poolOf(world)).toEqual({ left: '1', taken: {} });
  });

  test.for([
    ['acquire', {}],
    ['acquire', { async: true }],
    ['tryAcquire', { waitMs: LEASE_MS }],
    ['tryAcquire', { waitMs: LEASE_MS, async: true }],
  ] as const)('of Node: Java gets it in %s %j, at its score', async ([method, form], context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, 1);
    const permit = await semaphore.acquire({ leaseMs: 2_000 });
    const score = Number((await poolOf(world)).taken[permit.id]);
    const messages = await messagesOn(channelOf(world), { context });

    const args = { leaseMs: LEASE_MS, ...form };
    const got = await thread.call<string>(`permits.${method}`, world.name, args);

    expect(await serverMs(world)).toBeGreaterThanOrEqual(score);
    // Java tells what it has returned, in the very step in which it takes it.
    await eventually(() => expect(messages).toEqual(['1']));
    expect(Object.keys((await poolOf(world)).taken)).toEqual([got]);
    expect(permit.isHeld).toBe(false);
    await expect(permit.release()).rejects.toThrow(LeaseLostError);
    await semaphore.release(got);
    expect(await poolOf(world)).toEqual({ left: '1', taken: {} });
  });

  test('beside one that never expires, too', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, 2);
    const permanent = await thread.call<string>('permits.acquire', world.name);
    await thread.call<string>('permits.acquire', world.name, { leaseMs: 1_500 });

    const got = await semaphore.acquire({ leaseMs: LEASE_MS });

    expect((await poolOf(world)).taken).toMatchObject({ [permanent]: NEVER });
    expect(await semaphore.tryAcquire()).toBe(null);
    await got.release();
    await semaphore.release(permanent);
  });
});

test('a renewed permit of Node stays for three leases, whoever returns what has expired', async (context) => {
  const leaseMs = 3_000;
  const { world, semaphore, thread, helper } = await semaphoreOf(context, 1, { node: { leaseMs } });
  const permit = await semaphore.acquire();
  const waiting = thread.call<string>('permits.acquire', world.name, { leaseMs: LEASE_MS });
  const end = (await serverMs(world)) + 3 * leaseMs;
  let looks = 0;

  // Every one of Java's looks returns what has expired.
  while ((await serverMs(world)) < end) {
    expect(await helper.call('permits.availablePermits', world.name)).toBe(0);
    expect(await helper.call('permits.tryAcquire', world.name, { waitMs: 10 })).toBe(null);
    looks += 1;
  }

  expect(looks).toBeGreaterThan(3);
  expect(permit.isHeld).toBe(true);
  expect(Object.keys((await poolOf(world)).taken)).toEqual([permit.id]);
  await permit.release();
  const got = await waiting;
  expect(Object.keys((await poolOf(world)).taken)).toEqual([got]);
  await semaphore.release(got);
});

describe('many permits at once', () => {
  test('of each side, taken, counted, and given back by the other', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, 1_000);
    const mine = await semaphore.acquireMany(600, { leaseMs: LEASE_MS });
    const args = { permits: 400, leaseMs: LEASE_MS };
    const theirs = await thread.call<string[]>('permits.acquireMany', world.name, args);
    const { left, taken } = await poolOf(world);
    expect(left).toBe('0');
    expect(Object.keys(taken).toSorted()).toEqual(
      [...mine.map(({ id }) => id), ...theirs].toSorted(),
    );
    expect(await semaphore.acquiredPermits()).toBe(1_000);
    expect(await thread.call('permits.acquiredPermits', world.name)).toBe(1_000);

    const ids = mine.slice(0, 300).map(({ id }) => id);
    expect(await thread.call('permits.tryReleaseMany', world.name, { ids })).toBe(300);
    await Promise.all(theirs.slice(0, 200).map(async (id) => await semaphore.release(id)));

    expect(await semaphore.availablePermits()).toBe(500);
    expect(await thread.call('permits.availablePermits', world.name)).toBe(500);
    await Promise.all(mine.slice(300).map(async (permit) => await permit.release()));
    const rest = theirs.slice(200);
    expect(await thread.call('permits.tryReleaseMany', world.name, { ids: rest })).toBe(200);
    expect(await poolOf(world)).toEqual({ left: '1000', taken: {} });
  });

  test('all or none, in the queue of either side', async (context) => {
    stopTimers();
    const options = { node: { leaseMs: LEASE_MS } };
    const { world, semaphore, thread, helper } = await semaphoreOf(context, 5, options);
    const theirs = await thread.call<string[]>('permits.acquireMany', world.name, { permits: 3 });
    const waiting = semaphore.acquireMany(4);
    await listening(world.name);
    await helper.call('permits.release', world.name, { permit: theirs[0] });
    expect(await semaphore.availablePermits()).toBe(3);

    await helper.call('permits.release', world.name, { permit: theirs[1] });
    const mine = await waiting;
    const javaWaits = thread.call<string[]>('permits.acquireMany', world.name, { permits: 3 });
    await eventually(async () => (await world.java.parked()) === 1);
    await mine[0]!.release();
    expect(await semaphore.availablePermits()).toBe(1);
    await mine[1]!.release();
    await mine[2]!.release();

    expect(await javaWaits).toHaveLength(3);
    expect(await semaphore.availablePermits()).toBe(0);
  });
});

type Change = (sides: Sides) => Promise<unknown>;

describe('the number of permits changes while the other side waits', () => {
  const ofJava: [string, string, Change][] = [
    [
      'setPermits',
      '3',
      async ({ helper, world }) =>
        await helper.call('permits.setPermits', world.name, { permits: 3 }),
    ],
    [
      'addPermits',
      '2',
      async ({ helper, world }) =>
        await helper.call('permits.addPermits', world.name, { permits: 2 }),
    ],
  ];
  const ofNode: [string, Change][] = [
    ['setPermits', async ({ semaphore }) => await semaphore.setPermits(3)],
    ['addPermits', async ({ semaphore }) => await semaphore.addPermits(2)],
  ];
  const nodeWaits = ['node asks', 'node listens', 'node asks'];

  test.for(ofJava)('Java’s %s tells %s: two of Node get in', async ([, told, change], context) => {
    stopTimers();
    const sides = await semaphoreOf(context, 1);
    const { world, semaphore, thread } = sides;
    const steps = readSteps(world.name);
    await thread.call('permits.acquire', world.name);
    await steps.take();
    const waiting = [semaphore.acquire(), semaphore.acquire()];
    await steps.expect(nodeWaits);

    await change(sides);

    const permits = await Promise.all(waiting);
    await steps.expect([`java tells ${told}`, 'node enters']);
    expect(await semaphore.availablePermits()).toBe(0);
    await Promise.all(permits.map(async (permit) => await permit.release()));
  });

  test.for(ofNode)('Node’s %s tells 2: two of Java get in', async ([, change], context) => {
    const sides = await semaphoreOf(context, 1);
    const { world, semaphore, thread, helper } = sides;
    const steps = readSteps(world.name);
    await world.java.thread('first').call('permits.acquire', world.name);
    const waiting = [thread, helper].map(
      async (each) => await each.call<string>('permits.acquire', world.name),
    );
    await eventually(async () => (await world.java.parked()) === 2);
    await steps.take();

    await change(sides);

    const permits = await Promise.all(waiting);
    await steps.expect(['node tells 2', 'java enters', 'java enters']);
    expect(await semaphore.availablePermits()).toBe(0);
    await Promise.all(permits.map(async (permit) => await semaphore.release(permit)));
  });

  test('Java’s shrink tells a number that is not available (P8): Node goes on waiting', async (context) => {
    stopTimers();
    const { world, semaphore, thread, helper } = await semaphoreOf(context, 2);
    const steps = readSteps(world.name);
    const theirs = await thread.call<string[]>('permits.acquireMany', world.name, { permits: 2 });
    await steps.take();
    const waiting = semaphore.acquire();
    await steps.expect(nodeWaits);

    await helper.call('permits.setPermits', world.name, { permits: 1 });
    await steps.expect(['java tells 1', 'node asks']);
    expect(await semaphore.availablePermits()).toBe(-1);
    await helper.call('permits.release', world.name, { permit: theirs[0] });
    await helper.call('permits.release', world.name, { permit: theirs[1] });

    const permit = await waiting;
    expect(await semaphore.totalPermits()).toBe(1);
    await permit.release();
    expect(await poolOf(world)).toEqual({ left: '1', taken: {} });
  });

  test('Node’s shrink tells nobody, and Java goes on waiting', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, 2, {
      node: { leaseMs: LEASE_MS },
    });
    const steps = readSteps(world.name);
    const mine = await semaphore.acquireMany(2);
    const waiting = thread.call<string>('permits.acquire', world.name);
    await eventually(async () => (await world.java.parked()) === 1);
    await steps.take();

    await semaphore.setPermits(1);
    await mine[0]!.release();
    expect(await semaphore.availablePermits()).toBe(0);
    await mine[1]!.release();

    const permit = await waiting;
    const told = (await steps.take()).filter((step) => step.includes('tells'));
    expect(told).toEqual(['node tells 1']);
    await semaphore.release(permit);
  });
});
