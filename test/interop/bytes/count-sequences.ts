// What is done to semaphores and latches, step by step, by Java alone and by Node alone.

import { expect } from 'vitest';
import type { Permit, PermitExpirableSemaphore, Semaphore } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { Sequence, Step } from './lock-sequences.js';
import { outcome, type Side } from './sides.js';

/** A permit that nobody has. */
const UNKNOWN_PERMIT = '00112233445566778899aabbccddeeff';

/** Java answers null where Node answers nothing. */
const nothing = (value: unknown): unknown => value ?? null;

function semaphore(
  method: string,
  node: (object: Semaphore) => Promise<unknown>,
  args: Readonly<Record<string, number>> = {},
): Step {
  return async (side) =>
    await side.run(
      async (thread, name) => await thread.call<unknown>(`semaphore.${method}`, name, args),
      async (client, name) => nothing(await node(client.getSemaphore(name))),
    );
}

const set = (permits: number, life: { ttlMs?: number } = {}): Step =>
  semaphore('trySetPermits', async (object) => await object.trySetPermits(permits, life), {
    permits,
    ...life,
  });
const add = (permits: number): Step =>
  semaphore('addPermits', async (object) => await object.addPermits(permits), { permits });
const take = (permits: number): Step =>
  semaphore('tryAcquire', async (object) => (await object.tryAcquire(permits)) !== null, {
    permits,
  });
const release = (permits: number): Step =>
  semaphore('release', async (object) => await object.release(permits), { permits });
const drain = semaphore('drainPermits', async (object) => await object.drainPermits());
const remove = semaphore('delete', async (object) => await object.delete());

const semaphoreSteps: Sequence['steps'] = {
  '3 are set': set(3),
  '5 are set in vain': set(5),
  '2 are taken': take(2),
  '2 are taken in vain': take(2),
  '1 is released': release(1),
  '2 are added': add(2),
  'all are drained': drain,
  'B waits': async (side) => {
    await side.begin(
      async (thread, name) => await thread.call('semaphore.acquire', name),
      async (client, name) => await client.getSemaphore(name).acquire(),
    );
  },
  'B gets what is released': async (side) => {
    await release(1)(side);
    await side.waited();
  },
  'it is deleted': remove,
  'it is deleted in vain': remove,
  'a release makes it': release(1),
  'it is deleted again': remove,
};

const fewerPermits: Sequence['steps'] = {
  '0 are set': set(0),
  '4 are added': add(4),
  '1 is taken away': add(-1),
  '5 are taken away': add(-5),
  '1 is released': release(1),
  'all are drained': drain,
  'it is deleted': remove,
};

const semaphoreForAWhile: Sequence['steps'] = {
  '3 are set for 100 s': set(3, { ttlMs: 100_000 }),
  '1 is taken': take(1),
  '1 is released': release(1),
  '2 are added': add(2),
  'it is deleted': remove,
  '4 are set for 100 s': set(4, { ttlMs: 100_000 }),
  'all are drained': drain,
  'it is deleted again': remove,
};

function permitSemaphore(
  method: string,
  node: (object: PermitExpirableSemaphore) => Promise<unknown>,
  args: Readonly<Record<string, unknown>> = {},
): Step {
  return async (side) =>
    await side.run(
      async (thread, name) => await thread.call<unknown>(`permits.${method}`, name, args),
      async (client, name) => nothing(await node(client.getPermitExpirableSemaphore(name))),
    );
}

const setOnce = (count: number): Step =>
  permitSemaphore('trySetPermits', async (object) => await object.trySetPermits(count), {
    permits: count,
  });
const setTotal = (count: number): Step =>
  permitSemaphore('setPermits', async (object) => await object.setPermits(count), {
    permits: count,
  });
const grow = (count: number): Step =>
  permitSemaphore('addPermits', async (object) => await object.addPermits(count), {
    permits: count,
  });
const removePermits = permitSemaphore('delete', async (object) => await object.delete());

const permitOf = ({ permits: ids }: Side, which: number): string => ids.at(which) ?? UNKNOWN_PERMIT;

const giveBack =
  (which: number): Step =>
  async (side) => {
    const permit = permitOf(side, which);
    const call = permitSemaphore('release', async (object) => await object.release(permit), {
      permit,
    });
    return await outcome(call(side));
  };
const tryGiveBack =
  (which: number): Step =>
  async (side) => {
    const permit = permitOf(side, which);
    const tried = async (object: PermitExpirableSemaphore) => await object.tryRelease(permit);
    return await permitSemaphore('tryRelease', tried, { permit })(side);
  };
const prolong =
  (which: number, leaseMs: number): Step =>
  async (side) => {
    const permit = permitOf(side, which);
    const update = async (object: PermitExpirableSemaphore) =>
      await object.updateLease(permit, leaseMs);
    return await permitSemaphore('updateLeaseTime', update, { permit, leaseMs })(side);
  };

/** Takes permits, whose ids are the members of the sorted set in hex. */
function acquire(count: number, lease: { leaseMs?: number } = {}): Step {
  return async (side) => {
    const granted = await side.run<string | string[] | Permit[]>(
      async (thread, name) =>
        count === 1
          ? await thread.call<string>('permits.acquire', name, lease)
          : await thread.call<string[]>('permits.acquireMany', name, { permits: count, ...lease }),
      async (client, name) => {
        const object = client.getPermitExpirableSemaphore(name);
        return count === 1 ? [await object.acquire(lease)] : await object.acquireMany(count, lease);
      },
    );
    const ids = [granted].flat().map((each) => (typeof each === 'string' ? each : each.id));
    const members = await side.world.raw.zrangeBuffer(`{${side.name}}:timeout`, '0', '-1');
    const inHex = members.map((member) => member.toString('hex'));
    expect(inHex).toEqual(expect.arrayContaining(ids));
    side.permits.push(...ids);
    return ids.length;
  };
}

const permitSteps: Sequence['steps'] = {
  '4 are set': setOnce(4),
  '5 are set in vain': setOnce(5),
  '1 is taken for 100 s': acquire(1, { leaseMs: 100_000 }),
  '2 are taken for 100 s': acquire(2, { leaseMs: 100_000 }),
  'the first is prolonged': prolong(0, 200_000),
  'the first is shortened': prolong(0, 30_000),
  'the first is released': giveBack(0),
  'the first is prolonged in vain': prolong(0, 30_000),
  'the first is released in vain': tryGiveBack(0),
  'an unknown one is released': giveBack(9),
  'the second is released': tryGiveBack(1),
  'the last is released': giveBack(2),
  '1 is taken without a lease': acquire(1),
  'that is released': giveBack(-1),
  'it is deleted': removePermits,
  'it is deleted in vain': removePermits,
};

const permitCounts: Sequence['steps'] = {
  '0 are set': setOnce(0),
  'the total is set to 3': setTotal(3),
  'the total is set to 3 again': setTotal(3),
  '2 are taken for 100 s': acquire(2, { leaseMs: 100_000 }),
  '2 are added': grow(2),
  'the total is set to 4': setTotal(4),
  'the total is set to 1': setTotal(1),
  '1 is released': giveBack(0),
  '3 are added': grow(3),
  'the total is set to 9': setTotal(9),
  'it is deleted': removePermits,
};

const permitWaiter: Sequence['steps'] = {
  '1 is set': setOnce(1),
  '1 is taken for 100 s': acquire(1, { leaseMs: 100_000 }),
  'B waits': async (side) => {
    const lease = { leaseMs: 200_000 };
    await side.begin(
      async (thread, name) => await thread.call('permits.acquire', name, lease),
      async (client, name) => await client.getPermitExpirableSemaphore(name).acquire(lease),
    );
  },
  'B gets what is released': async (side) => {
    await giveBack(0)(side);
    await side.waited();
  },
  'it is deleted': removePermits,
};

const expiredPermits: Sequence['steps'] = {
  '3 are set': setOnce(3),
  '2 are taken, and expire': async (side) => {
    await acquire(2, { leaseMs: 200 })(side);
    const timeouts = `{${side.name}}:timeout`;
    await eventually(async () => (await side.world.raw.zcount(timeouts, Date.now(), '+inf')) === 0);
  },
  '1 is taken for 100 s': acquire(1, { leaseMs: 100_000 }),
  'it is deleted': removePermits,
};

const permitsForAWhile: Sequence['steps'] = {
  '3 are set': setOnce(3),
  'they get 100 s': async ({ name, world }) => await world.raw.pexpire(name, 100_000),
  '1 is taken for 30 s': acquire(1, { leaseMs: 30_000 }),
  'it is prolonged': prolong(0, 100_000),
  'the total is set to 5': setTotal(5),
  '1 is added': grow(1),
  'it is deleted': removePermits,
};

const countDown: Step = async (side) =>
  await side.run<unknown>(
    async (thread, name) => await thread.call('latch.countDown', name),
    async (client, name) => nothing(await client.getCountDownLatch(name).countDown()),
  );
const removeLatch: Step = async (side) =>
  await side.run(
    async (thread, name) => await thread.call<boolean>('latch.delete', name),
    async (client, name) => await client.getCountDownLatch(name).delete(),
  );
const setCount =
  (count: number): Step =>
  async (side) =>
    await side.run(
      async (thread, name) => await thread.call<boolean>('latch.trySetCount', name, { count }),
      async (client, name) => await client.getCountDownLatch(name).trySetCount(count),
    );

const latchSteps: Sequence['steps'] = {
  '2 are set': setCount(2),
  '3 are set in vain': setCount(3),
  'it counts down': countDown,
  'B waits': async (side) => {
    await side.begin(
      async (thread, name) => await thread.call('latch.await', name),
      async (client, name) => await client.getCountDownLatch(name).wait(),
    );
  },
  'it counts down to 0': async (side) => {
    await countDown(side);
    await side.waited();
  },
  'it counts down in vain': countDown,
  '1 is set': setCount(1),
  'it is deleted': removeLatch,
  'it is deleted in vain': removeLatch,
  '0 are set': async (side) => await outcome(setCount(0)(side)),
  'it counts down in vain again': countDown,
};

export const countSequences: Readonly<Record<string, Sequence>> = {
  semaphore: { steps: semaphoreSteps },
  'semaphore, fewer permits': { steps: fewerPermits },
  'semaphore, for a while': { steps: semaphoreForAWhile },
  permits: { steps: permitSteps },
  'permits, counts': { steps: permitCounts },
  'permits, waited for': { steps: permitWaiter },
  'permits, expired': { steps: expiredPermits },
  'permits, for a while': { steps: permitsForAWhile },
  latch: { steps: latchSteps },
};
