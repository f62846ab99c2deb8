// What the server refuses to carry out until the time of the call is up was not done: only a copy without
// an answer leaves an outcome unknown.

import { describe, expect, test, type TestContext } from 'vitest';
import { CommandTimeoutError, createClient, LeaseLostError, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { leasedKinds } from '../support/kinds/kinds.js';
import { titled, type LeasedKind } from '../support/kinds/kind.js';
import { lock } from '../support/kinds/locks.js';
import { permit } from '../support/kinds/permits.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { rejection } from './world.js';
import { partError } from '../support/parts.js';

const server = await ownServer();
const raw = rawClient(server.url);

interface Refusing {
  readonly refuses: string;
  readonly kinds: readonly LeasedKind[];
  readonly begin: (user: string) => readonly string[];
  readonly end: (user: string) => readonly string[];
}

/** A right of one user, and a state of the server. */
const refusing: Refusing[] = [
  {
    refuses: 'NOPERM',
    kinds: leasedKinds,
    begin: (user) => ['ACL', 'SETUSER', user, '-eval', '-evalsha'],
    end: (user) => ['ACL', 'SETUSER', user, '+eval', '+evalsha'],
  },
  {
    refuses: 'NOREPLICAS',
    kinds: [lock, permit],
    begin: () => ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    end: () => ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  },
];

const noPerm = refusing[0]!;

let users = 0;

interface World {
  readonly client: Client;
  readonly name: string;
  readonly refuse: () => Promise<unknown>;
  readonly allow: () => Promise<unknown>;
  /** How each grant has ended, as it was told. */
  readonly ends: string[];
}

async function command([word = '', ...words]: readonly string[]): Promise<unknown> {
  return await raw.call(word, ...words);
}

async function open(
  { begin, end }: Refusing,
  { onTestFinished }: TestContext,
  leaseMs = 30_000,
): Promise<World> {
  users += 1;
  const user = `user${users}`;
  await command(['ACL', 'SETUSER', user, 'on', '>x', '~*', '&*', '+@all']);
  const redis = server.url.replace('//', `//${user}:x@`);
  const client = createClient({ redis, commandTimeoutMs: 400, leaseMs });
  const ends: string[] = [];
  client.on('lost', ({ error }) => ends.push(`lost ${error.reason}`));
  client.on('released', () => ends.push('released'));
  // Heard, so that no warning is.
  client.on('error', () => undefined);
  onTestFinished(async () => {
    await command(end(user));
    await client.close({ timeoutMs: 1_000 });
  });
  const refuse = async (): Promise<unknown> => await command(begin(user));
  return { client, name: randomName(), ends, refuse, allow: async () => await command(end(user)) };
}

/** Sets the permits of a semaphore, where there are any. */
async function prepare(client: Client, name: string): Promise<void> {
  await client.getPermitExpirableSemaphore(name).trySetPermits(1);
}

function expectRefused(error: unknown, answer: string): void {
  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(String((error as CommandTimeoutError).cause)).toContain(answer);
  expect((error as Error).message).toContain(`Redis refused (${answer}`);
}

for (const state of refusing) {
  const { refuses, kinds } = state;
  const each = state === noPerm ? describe.concurrent : describe;

  each.each(titled(kinds))(`a %s whose release is refused with ${refuses}`, (_, kind) => {
    test('is not released, nor renewed, until a later call of release gets through', async (context) => {
      const world = await open(state, context);
      const { client, name, ends } = world;
      if (kind.isSemaphore) {
        await prepare(client, name);
      }
      const grant = await kind.get(client, name).acquire();
      await world.refuse();

      const first = await rejection(grant.release());
      const second = await rejection(grant.release());
      const [isFree, held] = [await kind.isFree(name, server.url), grant.isHeld];
      await world.allow();
      await grant.release();

      expectRefused(first.error, refuses);
      expectRefused(second.error, refuses);
      expect([isFree, held, ends]).toEqual([false, false, ['released']]);
      expect(await kind.isFree(name, server.url)).toBe(true);
      await grant.release();
    });

    test('is cleaned up behind its caller until its lease has ended, and no longer', async (context) => {
      const world = await open(state, context, 900);
      const { client, name, ends } = world;
      if (kind.isSemaphore) {
        await prepare(client, name);
      }
      const grant = await kind.get(client, name).acquire();
      await world.refuse();

      const { error } = await rejection(grant.release());
      await eventually(() => ends.length > 0);
      const later = await rejection(grant.release());
      // It waits for all clean-up.
      await client.close({ timeoutMs: 60_000 });

      expectRefused(error, refuses);
      expect(ends).toEqual(['lost unproven']);
      expect(later.error).toBeInstanceOf(LeaseLostError);
      expect((partError(later.error) as LeaseLostError).cause).toBe(partError(error));
    });

    test('is released behind its caller when that is allowed again', async (context) => {
      const world = await open(state, context);
      const { client, name, ends } = world;
      if (kind.isSemaphore) {
        await prepare(client, name);
      }
      const grant = await kind.get(client, name).acquire();
      await world.refuse();

      await rejection(grant.release());
      await world.allow();
      await eventually(() => ends.length > 0);

      expect(ends).toEqual(['released']);
      expect(await kind.isFree(name, server.url)).toBe(true);
    });
  });

  test(`a hold whose inner release is refused with ${refuses} can be released in two calls`, async (context) => {
    const world = await open(state, context);
    const { client, name } = world;
    const entrance = client.getLock(name);
    const outer = await entrance.acquire();
    const inner = await entrance.acquire({ within: outer });
    await world.refuse();

    const { error } = await rejection(inner.release());
    await world.allow();
    await inner.release();

    expectRefused(error, refuses);
    expect(await raw.hget(name, outer.holderId)).toBe('1');
    await outer.release();
    expect(await raw.exists(name)).toBe(0);
  });

  test(`permits whose release is refused with ${refuses} are given back once`, async (context) => {
    const world = await open(state, context);
    const { client, name, ends } = world;
    const semaphore = client.getSemaphore(name);
    await semaphore.trySetPermits(3);
    const permits = await semaphore.acquire(2);
    await world.refuse();

    const first = await rejection(permits.release());
    const second = await rejection(permits.release());
    const available = await raw.get(name);
    await world.allow();
    await permits.release();

    expectRefused(first.error, refuses);
    expectRefused(second.error, refuses);
    expect([available, await raw.get(name)]).toEqual(['1', '3']);
    expect(ends).toEqual(['released']);
  });
}

/** Calls that change something, with what the server has under the name before. */
const changes: {
  what: string;
  prepare?: (client: Client, name: string) => Promise<unknown>;
  make: (client: Client, name: string) => Promise<unknown>;
}[] = [
  {
    what: 'trySetCount',
    make: async (client, name) => await client.getCountDownLatch(name).trySetCount(2),
  },
  {
    what: 'countDown',
    prepare: async (client, name) => await client.getCountDownLatch(name).trySetCount(2),
    make: async (client, name) => await client.getCountDownLatch(name).countDown(),
  },
  {
    what: 'delete of a latch',
    prepare: async (client, name) => await client.getCountDownLatch(name).trySetCount(2),
    make: async (client, name) => await client.getCountDownLatch(name).delete(),
  },
  {
    what: 'trySetPermits',
    make: async (client, name) => await client.getSemaphore(name).trySetPermits(2),
  },
  {
    what: 'addPermits',
    prepare: async (client, name) => await client.getSemaphore(name).trySetPermits(2),
    make: async (client, name) => await client.getSemaphore(name).addPermits(1),
  },
  {
    what: 'drainPermits',
    prepare: async (client, name) => await client.getSemaphore(name).trySetPermits(2),
    make: async (client, name) => await client.getSemaphore(name).drainPermits(),
  },
  {
    what: 'release of permits by number',
    prepare: async (client, name) => await client.getSemaphore(name).trySetPermits(2),
    make: async (client, name) => await client.getSemaphore(name).release(1),
  },
  {
    what: 'forceRelease',
    prepare: async (client, name) => await client.getLock(name).acquire(),
    make: async (client, name) => await client.getLock(name).forceRelease(),
  },
];

describe.concurrent.each(changes)(
  '$what that is refused for all its time',
  ({ prepare: first, make }) => {
    test('is not done, and says why', async (context) => {
      const world = await open(noPerm, context);
      const { client, name } = world;
      await client.getLock(`${name}-other`).using(() => undefined);
      await first?.(client, name);
      const before = await raw.dump(name);
      await world.refuse();

      const { error } = await rejection(make(client, name));
      await world.allow();
      // Behind whatever was left under way.
      await client.getLock(`${name}-other`).using(() => undefined);

      expectRefused(error, noPerm.refuses);
      expect((await raw.dump(name)) === before).toBe(true);
    });
  },
);

describe.concurrent.each(titled(leasedKinds))('a %s whose extension is refused', (_, kind) => {
  test('is held as long as it was, and no longer on the server', async (context) => {
    const world = await open(noPerm, context);
    const { client, name } = world;
    if (kind.isSemaphore) {
      await prepare(client, name);
    }
    const grant = await kind.get(client, name).acquire({ leaseMs: 2_000 });
    await world.refuse();

    const { error } = await rejection(grant.extend(3_600_000));
    const { isHeld } = grant;
    await world.allow();
    await eventually(() => grant.state === 'lost');
    // Nothing is left to be cleaned up.
    await client.close({ timeoutMs: 60_000 });

    expectRefused(error, noPerm.refuses);
    expect(isHeld).toBe(true);
    const other = createClient({ redis: server.url });
    context.onTestFinished(async () => await other.close());
    const next = await eventually(async () => await kind.rival(other, name).tryAcquire());
    await next.release();
  });
});
