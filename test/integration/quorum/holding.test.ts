// A lock that a majority of servers holds: who has it, and who is kept out.

import { expect, test } from 'vitest';
import {
  AcquireTimeoutError,
  ClosedError,
  createClient,
  DeadlockError,
  NotHeldError,
  type ClientEvents,
} from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { expectRefused, LEASE_MS, quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-holding');
const [first = '', second = ''] = stage.urls;

test('each server has an ordinary lock, of the same holder', async () => {
  const client = stage.client();
  const name = stage.name();

  const hold = await client.getLock(name).acquire();
  const inside = await eventually(async () => {
    const found = await stage.holders(name);
    return found.flat().length === 3 && found;
  });

  expect(inside).toEqual([[hold.holderId], [hold.holderId], [hold.holderId]]);
  expect(hold.isHeld).toBe(true);
  // The margin is a hundredth of the lease and 2 ms at least.
  expect(hold.remainingMs).toBeLessThanOrEqual(LEASE_MS - LEASE_MS / 100);
  await hold.release();
  expect(hold.state).toBe('released');
  await stage.expectNothingLeft();
});

test('it is held for many leases, and released everywhere', async () => {
  const client = stage.client({ leaseMs: 500, maxLeaseMs: LEASE_MS });
  const hold = await client.getLock(stage.name()).acquire();
  const until = performance.now() + 1_500;

  // Waiting for leases to pass.
  await eventually(() => performance.now() > until);

  expect(hold.isHeld).toBe(true);
  expect(hold.state).toBe('held');
  await hold.release();
  await stage.expectNothingLeft();
});

test('whoever holds a majority keeps all others out', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const name = stage.name();
  const hold = await client.getLock(name).acquire();

  await expectRefused(other.getLock(name));
  const error: unknown = await other
    .getLock(name)
    .acquire({ waitMs: 1_500 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AcquireTimeoutError);
  const waiting = other.getLock(name).acquire();
  await hold.release();
  const next = await waiting;
  expect(await stage.holders(name)).toContainEqual([next.holderId]);
  await next.release();
  await stage.expectNothingLeft();
});

test('a single holder on one server keeps nobody out, one on two servers does', async () => {
  const quorum = await stage.connected();
  const name = stage.name();
  await using one = createClient({ redis: first, leaseMs: LEASE_MS });
  await using two = createClient({ redis: second, leaseMs: LEASE_MS });
  const onOne = await one.getLock(name).acquire();

  const beside = await quorum.getLock(name).acquire();
  expect(beside.isHeld).toBe(true);
  expect(await quorum.getLock(name).holders()).toMatchObject([{ holderId: beside.holderId }]);
  await beside.release();
  const onTwo = await two.getLock(name).acquire();
  await expectRefused(quorum.getLock(name));
  expect(await quorum.getLock(name).isLocked()).toBe(true);
  expect(await quorum.getLock(name).holders()).toEqual([]);

  await Promise.all([onOne.release(), onTwo.release()]);
  await (await quorum.getLock(name).acquire()).release();
  await stage.expectNothingLeft();
});

test('what is left of an attempt on one server is no holder', async () => {
  const client = stage.client();
  const lock = client.getLock(stage.name());
  await stage.raw(2).hset(lock.name, 'somebody:1', 1);

  expect(await lock.isLocked()).toBe(false);
  expect(await lock.holders()).toEqual([]);
  expect(await lock.remainingLeaseMs()).toBeNull();

  await stage.raw(2).del(lock.name);
});

test('its questions are answered by a majority', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const lock = client.getLock(stage.name());
  expect(await lock.isLocked()).toBe(false);
  const hold = await lock.acquire({ leaseMs: 900 });

  const asked = other.getLock(lock.name);
  expect(await asked.isLocked()).toBe(true);
  expect(await asked.holders()).toMatchObject([{ holderId: hold.holderId, depth: 1 }]);
  expect(await asked.remainingLeaseMs()).toBeLessThanOrEqual(900);
  expect(await asked.holdCount()).toBe(0);
  expect(await asked.forceRelease()).toBe(true);
  await eventually(() => hold.state === 'lost');
  expect(await asked.forceRelease()).toBe(false);
});

test('a fixed lease ends by itself, and is extended by a majority', async () => {
  const client = stage.client();
  const lock = client.getLock(stage.name());
  const hold = await lock.acquire({ leaseMs: 1_000 });

  await hold.extend(1_500);
  expect(hold.remainingMs).toBeGreaterThan(1_000);
  await expect(hold.extend(LEASE_MS + 1)).rejects.toThrow(RangeError);
  await eventually(() => hold.state === 'lost', { withinMs: 4_000 });

  expect(hold.isHeld).toBe(false);
  await expect(lock.acquire({ leaseMs: LEASE_MS + 1 })).rejects.toThrow(RangeError);
  await (await lock.acquire()).release();
});

test('inside its scope it re-enters, one branch at a time', async () => {
  const client = stage.client();
  const lock = client.getLock(stage.name());
  let inside = 0;
  let most = 0;
  const branch = async (): Promise<void> => {
    await lock.using(async (hold) => {
      inside += 1;
      most = Math.max(most, inside);
      expect(hold.depth).toBe(2);
      expect(await lock.holdCount()).toBe(2);
      inside -= 1;
    });
  };

  await lock.using(async (outer) => {
    await Promise.all([branch(), branch()]);
    const inner = await lock.acquire({ within: outer });
    const waits: unknown = await inner
      .run(async () => await lock.acquire({ within: outer }))
      .catch((error: unknown) => error);
    expect(waits).toBeInstanceOf(DeadlockError);
    await expectRefused(lock, { within: null });
    await inner.release();
  });

  expect(most).toBe(1);
  await stage.expectNothingLeft();
});

test('a re-entry that outlives the hold around it keeps the lock', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const lock = client.getLock(stage.name());
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer });

  await outer.release();
  await expectRefused(other.getLock(lock.name));
  expect(inner.isHeld).toBe(true);
  await expect(lock.acquire({ within: outer })).rejects.toThrow(NotHeldError);
  await inner.release();

  await (await other.getLock(lock.name).acquire()).release();
});

test('several names are taken together, and names that the scope holds are re-entered', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const names = [stage.name(), stage.name(), stage.name()];
  const lock = client.getMultiLock(names);

  await client.getLock(names[1]!).using(async (outer) => {
    const hold = await lock.acquire();
    expect(hold.isHeld).toBe(true);
    expect(lock.names).toHaveLength(3);
    expect(await lock.isLocked()).toBe(true);
    for (const name of names) {
      await expectRefused(other.getLock(name));
    }
    await hold.release();
    expect(outer.isHeld).toBe(true);
    await (await other.getLock(names[0]!).acquire()).release();
  });

  await stage.expectNothingLeft();
});

test('events come once, and close ends holds and waits', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const lock = client.getLock(stage.name());
  const told: string[] = [];
  for (const event of ['acquired', 'released', 'lost'] as const) {
    client.on(event, ({ kind, resource }: Parameters<ClientEvents['released']>[0]) => {
      told.push(`${event} ${kind} ${resource}`);
    });
  }
  const hold = await lock.acquire();
  const waiting = other.getLock(lock.name).acquire();
  const ended = waiting.catch((error: unknown) => error);
  await eventually(
    async () =>
      (await stage.raw(0).pubsub('NUMSUB', `redisson_lock__channel:{${lock.name}}`))[1] === 1,
  );

  await other.close();
  expect(await ended).toBeInstanceOf(ClosedError);
  await client.close();

  expect(hold.isHeld).toBe(false);
  expect(told).toEqual([`acquired quorum-lock ${lock.name}`, `released quorum-lock ${lock.name}`]);
  await expect(lock.acquire()).rejects.toThrow(ClosedError);
  await stage.expectNothingLeft();
});

test.each(['is aborted', 'times out', 'times out as its client says'])(
  'a wait that %s leaves nothing',
  async (how) => {
    const waitMs = how === 'times out as its client says' ? 1_500 : undefined;
    const [client, other] = [stage.client(), stage.client({ waitMs })];
    const name = stage.name();
    const hold = await client.getLock(name).acquire();
    const abort = new AbortController();
    const own = how === 'times out' ? { waitMs: 1_500 } : {};
    const options = how === 'is aborted' ? { signal: abort.signal } : own;

    const waiting = other.getLock(name).acquire(options);
    const ended = waiting.catch((error: unknown) => error);
    const behind = other
      .getLock(name)
      .acquire(options)
      .catch((error: unknown) => error);
    abort.abort('enough');

    for (const error of await Promise.all([ended, behind])) {
      const isExpected =
        how === 'is aborted' ? error === 'enough' : error instanceof AcquireTimeoutError;
      expect(isExpected).toBe(true);
    }
    await hold.release();
    await (await other.getLock(name).acquire()).release();
    await stage.expectNothingLeft();
  },
);
