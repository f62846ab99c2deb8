// Every call of a permit-expirable semaphore runs at most once, whatever the network does.

import { describe, expect, test } from 'vitest';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import type { PermitExpirableSemaphore } from '../../../src/index.js';
import {
  cutReply,
  faultWorlds,
  keepUnderWay,
  rejection,
  sendsCommands,
  type World,
} from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';

const open = faultWorlds('permits-once');

interface Two {
  readonly near: PermitExpirableSemaphore;
  readonly far: PermitExpirableSemaphore;
}

/** The same semaphore through the proxy and past it. */
async function both({ client, other, name }: World, permits: number): Promise<Two> {
  const [near, far] = [client, other].map((each) => each.getPermitExpirableSemaphore(name));
  await far!.trySetPermits(permits);
  return { near: near!, far: far! };
}

describe.concurrent('at most once', () => {
  test('L10, L20: an acquisition whose answer is lost takes its permits once', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 5);
    const fault = cutReply(world.proxy, scripts.expirableSemaphoreAcquire);

    const acquiring = near.acquireMany(2);
    await fault.ran();
    await fault.replay();
    const permits = await acquiring;

    expect([await far.availablePermits(), await far.acquiredPermits()]).toEqual([3, 2]);
    expect(permits.map(({ isHeld }) => isHeld)).toEqual([true, true]);
    await Promise.all(permits.map((permit) => permit.release()));
    expect(await far.availablePermits()).toBe(5);
    await far.delete();
  });

  test('L10: an acquisition that arrives again after its release takes nothing', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 2);
    const late = keepUnderWay(world.proxy, scripts.expirableSemaphoreAcquire);

    const acquiring = near.acquire();
    await late.sent();
    world.proxy.cutAll(sendsCommands);
    await (await acquiring).release();
    await late.deliver();

    expect([await far.availablePermits(), await far.acquiredPermits()]).toEqual([2, 0]);
    await far.delete();
  });

  test('an attempt in vain that arrives again takes nothing either', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 1);
    const held = await far.acquire();
    const late = keepUnderWay(world.proxy, scripts.expirableSemaphoreAcquire);

    const trying = near.tryAcquire();
    await late.sent();
    world.proxy.cutAll(sendsCommands);
    const refused = await trying;
    await held.release();
    // Behind the caller's back its number is burnt.
    await near.availablePermits();
    await late.deliver();

    expect(refused).toBe(null);
    await eventually(async () => (await far.availablePermits()) === 1);
    expect(await far.acquiredPermits()).toBe(0);
    await far.delete();
  });

  test('an acquisition given up without an answer is taken back', async (context) => {
    const world = await open(context);
    const { far } = await both(world, 3);
    const impatient = world.open({ commandTimeoutMs: 300 }).getPermitExpirableSemaphore(world.name);
    // A busy machine may take longer than the time of one call to connect.
    await eventually(async () => await impatient.availablePermits());
    world.proxy.pauseDownstream();

    const { error } = await rejection(impatient.tryAcquireMany(2));
    await eventually(async () => (await far.acquiredPermits()) === 2);
    world.proxy.resumeDownstream();

    expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
    await eventually(async () => (await far.availablePermits()) === 3);
    await far.delete();
  });

  test('S9: a release whose answer is lost returns the permit once', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 2);
    const permit = await near.acquire();
    const fault = cutReply(world.proxy, scripts.expirableSemaphoreRelease);

    const releasing = permit.release();
    await fault.ran();
    await fault.replay();
    await releasing;

    expect(permit.state).toBe('released');
    expect(await far.availablePermits()).toBe(2);
    await far.delete();
  });

  test('S9: a release by id is answered the same to every copy', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 2);
    const { id } = await far.acquire();
    const fault = cutReply(world.proxy, scripts.expirableSemaphoreReleaseAny);

    const releasing = near.tryRelease(id);
    await fault.ran();
    await fault.replay();

    expect(await releasing).toBe(true);
    expect(await far.availablePermits()).toBe(2);
    await far.delete();
  });

  test('S9: permits that were set or added once are not set or added again', async (context) => {
    const world = await open(context);
    const { near, far } = await both(world, 2);
    const faults = [
      scripts.expirableSemaphoreResize,
      scripts.expirableSemaphoreTrySet,
      scripts.expirableSemaphoreDelete,
    ];

    const [resize, trySet, deletion] = faults.map((script) => cutReply(world.proxy, script));
    const adding = near.addPermits(3);
    await resize!.ran();
    await resize!.replay();
    await adding;
    const added = await far.totalPermits();
    const deleting = near.delete();
    await deletion!.ran();
    await far.trySetPermits(7);
    await deletion!.replay();
    const deleted = [await deleting, await far.totalPermits()];
    await far.delete();
    const setting = near.trySetPermits(4);
    await trySet!.ran();
    await far.delete();
    await trySet!.replay();

    expect(added).toBe(5);
    expect(deleted).toEqual([true, 7]);
    expect(await setting).toBe(true);
    expect(await far.totalPermits()).toBe(0);
  });
});
