// What the server refuses to carry out until the time of the call is up was not done: only a copy without
// an answer leaves an outcome unknown.

import { describe, expect, test, type TestContext } from 'vitest';
import {
  CommandTimeoutError,
  createClient,
  LeaseLostError,
  type Client,
  type Lock,
} from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { kinds, leasedKinds } from '../support/kinds/kinds.js';
import { titled, type Kind, type LeasedKind } from '../support/kinds/kind.js';
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
  readonly released: readonly LeasedKind[];
  readonly begin: (user: string) => readonly string[];
  readonly end: (user: string) => readonly string[];
}

/** A right of one user, and a state of the server. */
const refusing: Refusing[] = [
  {
    refuses: 'NOPERM',
    released: leasedKinds,
    begin: (user) => ['ACL', 'SETUSER', user, '-eval', '-evalsha'],
    end: (user) => ['ACL', 'SETUSER', user, '+eval', '+evalsha'],
  },
  {
    // The script runs, and not the first of its commands that writes.
    refuses: 'ERR',
    released: leasedKinds,
    begin: (user) => ['ACL', 'SETUSER', user, '-@write'],
    end: (user) => ['ACL', 'SETUSER', user, '+@write'],
  },
  {
    refuses: 'NOREPLICAS',
    released: [lock, permit],
    begin: () => ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    end: () => ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  },
];

const noPerm = refusing[0]!;

/** One right of one user, which a script needs. */
const inside = (right: string): Refusing => ({
  ...noPerm,
  begin: (user) => ['ACL', 'SETUSER', user, `-${right}`],
  end: (user) => ['ACL', 'SETUSER', user, `+${right}`],
});

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
async function prepare(client: Client, name: string, kind: Kind): Promise<void> {
  if (kind.isSemaphore) {
    await kind.create(client, name);
  }
}

function expectRefused(error: unknown, answer: string): void {
  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(String((error as CommandTimeoutError).cause)).toContain(answer);
  expect((error as Error).message).toContain(`Redis refused (${answer}`);
}

/** Fails where a call rejects otherwise than for want of a right. */
async function doneOrRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    expectRefused(error, 'ERR');
  }
}

for (const state of refusing) {
  const { refuses, released } = state;
  const each = refuses === 'NOREPLICAS' ? describe : describe.concurrent;

  each.each(titled(released))(`a %s whose release is refused with ${refuses}`, (_, kind) => {
    test('is not released, nor renewed, until a later call of release gets through', async (context) => {
      const world = await open(state, context);
      const { client, name, ends } = world;
      await prepare(client, name, kind);
      const grant = await kind.get(client, name).acquire();
      await world.refuse();

      const first = await rejection(grant.release());
      const second = await rejection(grant.release());
      const [isFree, held] = [await kind.isFree(name, server.url), grant.isHeld];
      await world.allow();
      await eventually(async () => await grant.release());

      expectRefused(first.error, refuses);
      expectRefused(second.error, refuses);
      expect([isFree, held, ends]).toEqual([false, false, ['released']]);
      expect(await kind.isFree(name, server.url)).toBe(true);
      await grant.release();
    });

    test('is cleaned up behind its caller until its lease has ended, and no longer', async (context) => {
      const world = await open(state, context, 900);
      const { client, name, ends } = world;
      await prepare(client, name, kind);
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
      await prepare(client, name, kind);
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
    await eventually(async () => await inner.release());

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
    await eventually(async () => await permits.release());

    expectRefused(first.error, refuses);
    expectRefused(second.error, refuses);
    expect([available, await raw.get(name)]).toEqual(['1', '3']);
    expect(ends).toEqual(['released']);
  });
}

describe.concurrent.each(titled(kinds))('a %s', (_, kind) => {
  test.for(['hset', 'hdel', 'incrby', 'zadd', 'zrem', 'pexpire'])(
    'is released once, whether or not that needs the right to %s, which is away for a while',
    async (right, context) => {
      const world = await open(inside(right), context);
      const { client, name, ends } = world;
      await prepare(client, name, kind);
      const grant = await kind.get(client, name).acquire();
      await world.refuse();

      await doneOrRefused(grant.release());
      await world.allow();
      await eventually(async () => await grant.release());

      expect(ends).toEqual(['released']);
      expect(await kind.isFree(name, server.url)).toBe(true);
    },
  );

  test.for(['hset', 'hdel', 'incrby', 'zadd', 'zrem', 'pexpire'])(
    'that a task had is free behind its `using`, when the right to %s is back',
    async (right, context) => {
      const world = await open(inside(right), context);
      const { client, name } = world;
      await prepare(client, name, kind);

      await doneOrRefused(kind.get(client, name).using(async () => void (await world.refuse())));
      await world.allow();

      await eventually(async () => await kind.isFree(name, server.url));
    },
  );
});

test.concurrent.for(['hexists', 'exists', 'zrevrange'])(
  'a read lock whose release was refused at %s, when it had left already, was released',
  async (right, context) => {
    const world = await open(inside(right), context);
    const { client, name, ends } = world;
    const other = createClient({ redis: server.url });
    context.onTestFinished(async () => await other.close());
    const hold = await client.getReadWriteLock(name).readLock.acquire();
    const next = await other.getReadWriteLock(name).readLock.acquire();
    await world.refuse();

    await hold.release();

    expect(ends).toEqual(['released']);
    await next.release();
  },
);

/** Locks whose line an ask enters before it comes to a command that its user may not run. */
const lines: {
  what: string;
  right: string;
  line: string;
  of: (client: Client, name: string) => Lock;
}[] = [
  { what: 'a lock', right: 'lindex', line: 'redlatch_line', of: (at, name) => at.getLock(name) },
  {
    what: 'a fair lock',
    right: 'hset',
    line: 'redisson_lock_queue',
    of: (at, name) => at.getFairLock(name),
  },
  {
    what: 'a multi-lock',
    right: 'lindex',
    line: 'redlatch_line',
    of: (at, name) => at.getMultiLock([name, `{${name}}-second`]),
  },
];

test.concurrent.for(lines)(
  'a wait for $what that is refused at $right, when it is in the line already, leaves the line',
  async ({ right, line, of }, context) => {
    const world = await open(inside(right), context);
    const { client, name } = world;
    const other = createClient({ redis: server.url });
    context.onTestFinished(async () => await other.close());
    const hold = await of(other, name).acquire();
    await of(client, `${name}-other`).using(() => {});
    await world.refuse();

    const waiting = rejection(of(client, name).acquire({ waitMs: 600 }));
    await eventually(async () => (await raw.llen(`${line}:{${name}}`)) === 1);
    const { error } = await waiting;
    await eventually(async () => (await raw.llen(`${line}:{${name}}`)) === 0);

    expectRefused(error, 'ERR');
    await hold.release();
  },
);

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
    await prepare(client, name, kind);
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
