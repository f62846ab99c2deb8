// Scenario 8: one permit in the hands of both languages, by its id.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, NotHeldError, type PermitExpirableSemaphore } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { JavaError, type JavaThread } from '../support/java.js';
import { NEVER, poolOf, serverMs } from '../support/permits.js';
import { interopWorlds, type World } from '../support/world.js';

const open = interopWorlds('permits');

const LEASE_MS = 60_000;

interface Sides {
  readonly world: World;
  readonly semaphore: PermitExpirableSemaphore;
  readonly thread: JavaThread;
}

/** A semaphore of two permits. */
async function semaphoreOf(
  context: Parameters<typeof open>[0],
  options: Parameters<typeof open>[1] = {},
): Promise<Sides> {
  const world = await open(context, options);
  const semaphore = world.node.getPermitExpirableSemaphore(world.name);
  await semaphore.trySetPermits(2);
  return { world, semaphore, thread: world.java.thread('main') };
}

/** What Java refuses with. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    (value) => expect.fail(`expected a refusal, got ${String(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JavaError);
  return (error as JavaError).type;
}

test('ids are 16 raw bytes, whoever acquires', async (context) => {
  const { world, semaphore, thread } = await semaphoreOf(context);
  const before = await serverMs(world);
  const node = await semaphore.acquire({ leaseMs: LEASE_MS });
  const java = await thread.call<string>('permits.acquire', world.name, { leaseMs: LEASE_MS });
  const after = await serverMs(world);

  const { left, taken } = await poolOf(world);

  expect(java).toMatch(/^[0-9a-f]{32}$/);
  expect(left).toBe('0');
  expect(Object.keys(taken).toSorted()).toEqual([java, node.id].toSorted());
  for (const score of Object.values(taken).map(Number)) {
    expect(score).toBeGreaterThanOrEqual(before + LEASE_MS);
    expect(score).toBeLessThanOrEqual(after + LEASE_MS);
  }
  expect(await semaphore.tryRelease(java)).toBe(true);
  await node.release();
  expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
});

describe('a permit that Node acquired', () => {
  const leaseMs = 3_000;
  const options = { node: { leaseMs } };

  test.for([
    ['release', {}],
    ['release', { async: true }],
    ['tryRelease', {}],
  ] as const)('Java ends it by %s %j, and its signal tells', async ([method, form], context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, options);
    const permit = await semaphore.acquire();
    const kept = await semaphore.acquire();
    const lost: unknown[] = [];
    world.node.on('lost', ({ holderId }) => lost.push(holderId));

    await thread.call(`permits.${method}`, world.name, { permit: permit.id, ...form });
    expect(Object.keys((await poolOf(world)).taken)).toEqual([kept.id]);

    await eventually(() => permit.signal.aborted, { withinMs: 10_000 });
    expect(permit.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(permit.signal.reason).toMatchObject({ reason: 'deleted' });
    expect(lost).toEqual([permit.id]);
    expect([permit.isHeld, kept.isHeld]).toEqual([false, true]);
    await expect(permit.release()).rejects.toThrow(LeaseLostError);
    await kept.release();
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('learns that Java has ended it from its release, when that is first', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await semaphore.acquire();
    expect(await thread.call('permits.tryRelease', world.name, { permit: permit.id })).toBe(true);

    await expect(permit.release()).rejects.toThrow(LeaseLostError);

    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('Java reads its lease, and lengthens it: no renewal takes that back', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, options);
    const permit = await semaphore.acquire();
    const renewedMs = await thread.call<number>('permits.leaseTime', world.name, {
      permit: permit.id,
    });
    expect(renewedMs).toBeGreaterThan(0);
    expect(renewedMs).toBeLessThanOrEqual(leaseMs);

    const args = { permit: permit.id, leaseMs: LEASE_MS };
    expect(await thread.call('permits.updateLeaseTime', world.name, args)).toBe(true);

    const { taken } = await poolOf(world);
    // Long enough for two renewals.
    await eventually(
      async () => Number(taken[permit.id]) - (await serverMs(world)) < LEASE_MS - leaseMs,
    );
    expect((await poolOf(world)).taken).toEqual(taken);
    expect(permit.isHeld).toBe(true);
    await permit.release();
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('Java makes it end sooner, and the next renewal lengthens it again', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, { node: { leaseMs: 6_000 } });
    const permit = await semaphore.acquire();
    const args = { permit: permit.id, leaseMs: 4_000 };
    expect(await thread.call('permits.updateLeaseTime', world.name, args)).toBe(true);
    const shortened = Number((await poolOf(world)).taken[permit.id]);
    expect(shortened).toBeLessThanOrEqual((await serverMs(world)) + 4_000);

    await eventually(async () => Number((await poolOf(world)).taken[permit.id]) > shortened);

    expect(permit.isHeld).toBe(true);
    await permit.release();
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('Java makes it end at once: somebody else gets it, and its signal tells', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, options);
    const [permit] = await semaphore.acquireMany(2);
    const others = thread.call<string>('permits.acquire', world.name, { leaseMs: LEASE_MS });

    const args = { permit: permit!.id, leaseMs: 0 };
    const helper = world.java.thread('helper');
    expect(await helper.call('permits.updateLeaseTime', world.name, args)).toBe(true);

    await eventually(() => permit!.signal.aborted, { withinMs: 10_000 });
    expect(permit!.signal.reason).toMatchObject({ reason: 'deleted' });
    const java = await others;
    expect(Object.keys((await poolOf(world)).taken)).not.toContain(permit!.id);
    expect(Object.keys((await poolOf(world)).taken)).toContain(java);
  });

  test('that Java lengthens past its fixed lease stays taken, and Java may end it', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await semaphore.acquire({ leaseMs: 3_000 });
    const args = { permit: permit.id, leaseMs: LEASE_MS };
    expect(await thread.call('permits.updateLeaseTime', world.name, args)).toBe(true);

    // Its owner goes by what it was granted.
    await eventually(() => permit.signal.aborted, { withinMs: 10_000 });
    expect(permit.signal.reason).toMatchObject({ reason: 'expired' });
    expect(await semaphore.acquiredPermits()).toBe(1);
    expect(await thread.call('permits.tryRelease', world.name, { permit: permit.id })).toBe(true);
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });
});

describe('a permit that Java acquired', () => {
  const ways: [string, (semaphore: PermitExpirableSemaphore, id: string) => Promise<unknown>][] = [
    ['release', async (semaphore, id) => await semaphore.release(id)],
    ['tryRelease', async (semaphore, id) => await semaphore.tryRelease(id)],
  ];

  test.for(ways)('Node ends it by %s, and Java has it no more', async ([, end], context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await thread.call<string>('permits.acquire', world.name, { leaseMs: LEASE_MS });

    expect(await end(semaphore, permit)).not.toBe(false);

    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
    expect(await thread.call('permits.tryRelease', world.name, { permit })).toBe(false);
    const again = thread.call('permits.release', world.name, { permit });
    expect(await refusal(again)).toBe('IllegalArgumentException');
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('Node makes it end later, and sooner, and Java reads that', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await thread.call<string>('permits.acquire', world.name, { leaseMs: 5_000 });
    const leaseMs = async (): Promise<number> =>
      await thread.call<number>('permits.leaseTime', world.name, { permit });

    expect(await semaphore.updateLease(permit, LEASE_MS)).toBe(true);
    const longMs = await leaseMs();
    expect(longMs).toBeGreaterThan(LEASE_MS / 2);
    expect(longMs).toBeLessThanOrEqual(LEASE_MS);

    expect(await semaphore.updateLease(permit, 100)).toBe(true);
    await eventually(async () => (await semaphore.acquiredPermits()) === 0, { withinMs: 10_000 });
    expect(
      await thread.call('permits.updateLeaseTime', world.name, { permit, leaseMs: 5_000 }),
    ).toBe(false);
    expect(await refusal(leaseMs())).toBe('IllegalArgumentException');
    // Java has returned what had expired.
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });
});

describe('a permit of Java that never expires', () => {
  test('is one of those that are taken, and Node ends it', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await thread.call<string>('permits.acquire', world.name);
    expect(await poolOf(world)).toEqual({ left: '1', taken: { [permit]: NEVER } });
    const counts = [
      await semaphore.totalPermits(),
      await semaphore.availablePermits(),
      await semaphore.acquiredPermits(),
    ];
    expect(counts).toEqual([2, 1, 1]);

    expect(await semaphore.tryRelease(permit)).toBe(true);

    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('gets an end from Node, and then none from Java again', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context);
    const permit = await thread.call<string>('permits.acquire', world.name);
    const leaseTime = async (): Promise<number> =>
      await thread.call<number>('permits.leaseTime', world.name, { permit });
    expect(await leaseTime()).toBe(-1);

    const before = await serverMs(world);
    expect(await semaphore.updateLease(permit, LEASE_MS)).toBe(true);
    const score = Number((await poolOf(world)).taken[permit]);
    expect(score).toBeGreaterThanOrEqual(before + LEASE_MS);
    expect(score).toBeLessThanOrEqual((await serverMs(world)) + LEASE_MS);
    expect(await leaseTime()).toBeLessThanOrEqual(LEASE_MS);

    const args = { permit, leaseMs: -1 };
    expect(await thread.call('permits.updateLeaseTime', world.name, args)).toBe(true);
    expect(await poolOf(world)).toEqual({ left: '1', taken: { [permit]: NEVER } });
    await semaphore.release(permit);
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });

  test('given by Java to a permit of Node: that stays until it is released', async (context) => {
    const { world, semaphore, thread } = await semaphoreOf(context, { node: { leaseMs: 3_000 } });
    const permit = await semaphore.acquire();
    const args = { permit: permit.id, leaseMs: -1 };
    expect(await thread.call('permits.updateLeaseTime', world.name, args)).toBe(true);

    const end = (await serverMs(world)) + 3_500;
    await eventually(async () => (await serverMs(world)) > end, { withinMs: 20_000 });
    expect(permit.isHeld).toBe(true);
    expect(await poolOf(world)).toEqual({ left: '1', taken: { [permit.id]: NEVER } });
    await permit.release();
    expect(await poolOf(world)).toEqual({ left: '2', taken: {} });
  });
});

test('an id that nobody knows is refused by both, and changes nothing', async (context) => {
  const { world, semaphore, thread } = await semaphoreOf(context);
  const { name } = world;
  await semaphore.acquire({ leaseMs: LEASE_MS });
  const permit = '0123456789abcdef'.repeat(2);
  const before = await poolOf(world);

  expect(await thread.call('permits.tryRelease', name, { permit })).toBe(false);
  expect(await thread.call('permits.tryReleaseMany', name, { ids: [permit] })).toBe(0);
  const update = { permit, leaseMs: LEASE_MS };
  expect(await thread.call('permits.updateLeaseTime', name, update)).toBe(false);
  for (const method of ['release', 'leaseTime']) {
    const refused = await refusal(thread.call(`permits.${method}`, name, { permit }));
    expect(refused).toBe('IllegalArgumentException');
  }
  expect(await semaphore.tryRelease(permit)).toBe(false);
  expect(await semaphore.updateLease(permit, LEASE_MS)).toBe(false);
  await expect(semaphore.release(permit)).rejects.toThrow(NotHeldError);

  expect(await poolOf(world)).toEqual(before);
});
