// Scenario 4: one side releases the permits of the other, or deletes their semaphore.

import { expect, test } from 'vitest';
import { permitKind } from '../support/leased-kinds.js';
import { expectLoss, LOOKS, listenTo } from '../support/losses.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('forced-permits');

/** Redisson's own word for a permit that is not there. */
const UNKNOWN = { type: 'IllegalArgumentException' };

/** What is left in the pool, and who has a permit. */
async function pool({ name, raw }: World): Promise<[string | null, string[]]> {
  return [await raw.get(name), await permitKind.inside(name)];
}

test.for(LOOKS)(
  'Node learns by %s that Java released its permit',
  async ([, { options, look }], context) => {
    stopTimers();
    const world = await open(context);
    const { name, java, node } = world;
    const thread = java.thread('java');
    const semaphore = node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(1);
    const permit = await semaphore.acquire(options);
    const told = listenTo(node, permit);
    const before = await pool(world);

    const released = await thread.call('permits.tryRelease', name, { permit: permit.id });
    const [state, between] = [permit.state, await pool(world)];
    look(permit);
    await expectLoss(permit, told, 'deleted');

    expect([before, released, state, between]).toEqual([
      ['0', [permit.id]],
      true,
      'held',
      ['1', []],
    ]);
    expect(await pool(world)).toEqual(['1', []]);
  },
);

test.for(LOOKS)(
  'Node finds by %s that Java has its permit, and leaves it',
  async ([, { options, look }], context) => {
    stopTimers();
    const world = await open(context);
    const { name, java, node } = world;
    const thread = java.thread('java');
    const semaphore = node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(1);
    const permit = await semaphore.acquire(options);
    const told = listenTo(node, permit);

    await thread.call('permits.release', name, { permit: permit.id });
    const grant = await permitKind.java.enter(thread, name, { leaseMs: 60_000 });
    look(permit);
    await expectLoss(permit, told, 'deleted');

    expect(await pool(world)).toEqual(['0', [grant.id]]);
    await grant.leave();
    expect(await pool(world)).toEqual(['1', []]);
  },
);

test.for(LOOKS)(
  'Node learns by %s that Java deleted the semaphore',
  async ([, { options, look }], context) => {
    stopTimers();
    const world = await open(context);
    const { name, java, node } = world;
    const thread = java.thread('java');
    const semaphore = node.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(2);
    const permit = await semaphore.acquire(options);
    const told = listenTo(node, permit);

    const deleted = await thread.call('permits.delete', name);
    look(permit);
    await expectLoss(permit, told, 'deleted');

    expect(deleted).toBe(true);
    // A permit that comes back late makes no semaphore, and counts for none that is set since.
    expect(await pool(world)).toEqual([null, []]);
  },
);

test('a permit of a deleted semaphore does not count for the next one', async (context) => {
  stopTimers();
  const world = await open(context);
  const { name, java, node } = world;
  const thread = java.thread('java');
  const semaphore = node.getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire();
  await thread.call('permits.delete', name);
  await thread.call('permits.trySetPermits', name, { permits: 1 });

  await expect(permit.release()).rejects.toMatchObject({ reason: 'deleted' });

  expect(await pool(world)).toEqual(['1', []]);
  expect(await thread.call('permits.totalPermits', name)).toBe(1);
});

test('Java finds at its release that Node released its permit', async (context) => {
  const world = await open(context);
  const { name, java, node } = world;
  const thread = java.thread('java');
  const semaphore = node.getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(1);
  const grant = await permitKind.java.enter(thread, name);

  const released = [await semaphore.tryRelease(grant.id), await semaphore.tryRelease(grant.id)];
  const late = await thread.call('permits.tryRelease', name, { permit: grant.id });
  await expect(grant.leave()).rejects.toMatchObject(UNKNOWN);

  expect([released, late]).toEqual([[true, false], false]);
  expect(await pool(world)).toEqual(['1', []]);
});

test('a late release of Java leaves the permit that Node has now', async (context) => {
  const world = await open(context);
  const { name, java, node } = world;
  const thread = java.thread('java');
  const semaphore = node.getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(1);
  const grant = await permitKind.java.enter(thread, name, { leaseMs: 60_000 });
  await semaphore.release(grant.id);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });

  await expect(grant.leave()).rejects.toMatchObject(UNKNOWN);

  expect(await pool(world)).toEqual(['0', [permit.id]]);
  await permit.release();
  expect(await pool(world)).toEqual(['1', []]);
});

test('Java finds at its release that Node deleted the semaphore', async (context) => {
  const world = await open(context);
  const { name, java, node } = world;
  const thread = java.thread('java');
  const semaphore = node.getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(1);
  const grant = await permitKind.java.enter(thread, name);

  const deleted = await semaphore.delete();
  await expect(grant.leave()).rejects.toMatchObject(UNKNOWN);

  expect(deleted).toBe(true);
  expect(await pool(world)).toEqual([null, []]);
});
