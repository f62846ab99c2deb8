// A server that evicts one key of an object while clients hold it and wait for it: each key of each kind, in virtual
// time. When all is released, everything can be had again, and no more.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { LeaseLostError, NotHeldError, type Client } from '../../src/index.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

/** Longer than a lease, and than the time after which each wait looks again by itself. */
const SETTLED_MS = 8_000;

interface Releasable {
  release(): Promise<void>;
}

type Grants = Releasable | readonly Releasable[] | null;

interface Kind {
  /** What the first clients hold. */
  readonly hold: readonly ((client: Client) => Promise<Grants>)[];
  /** What the other clients wait for. */
  readonly wait: readonly ((client: Client) => Promise<Grants>)[];
  /** All that there is, without a wait but for what is released meanwhile. */
  readonly all: (client: Client, waitMs: number) => Promise<Grants>;
  /** The least that somebody else could have beside it. */
  readonly more: (client: Client) => Promise<Grants>;
}

const exclusive = (lock: (client: Client) => ReturnType<Client['getLock']>): Kind => ({
  hold: [async (client) => await lock(client).acquire()],
  wait: [1, 2, 3].map(() => async (client) => await lock(client).acquire()),
  all: async (client, waitMs) => await lock(client).tryAcquire({ waitMs }),
  more: async (client) => await lock(client).tryAcquire(),
});

const lockOf = (client: Client) => client.getReadWriteLock(OBJECT);
const permitsOf = (client: Client) => client.getSemaphore(OBJECT, { permits: 3 });
const leasedOf = (client: Client) => client.getPermitExpirableSemaphore(OBJECT, { permits: 3 });
const written: Pick<Kind, 'all' | 'more'> = {
  all: async (client, waitMs) => await lockOf(client).writeLock.tryAcquire({ waitMs }),
  more: async (client) => await lockOf(client).readLock.tryAcquire(),
};

const kinds: Readonly<Record<string, Kind>> = {
  lock: exclusive((client) => client.getLock(OBJECT)),
  'fenced lock': exclusive((client) => client.getFencedLock(OBJECT)),
  'fair lock': exclusive((client) => client.getFairLock(OBJECT)),
  'multi-lock': exclusive((client) => client.getMultiLock([OBJECT, `{${OBJECT}}:2`])),
  'read-write lock that is written': {
    ...written,
    hold: [async (client) => await lockOf(client).writeLock.acquire()],
    wait: [
      async (client) => await lockOf(client).readLock.acquire(),
      async (client) => await lockOf(client).writeLock.acquire(),
      async (client) => await lockOf(client).readLock.acquire(),
    ],
  },
  'read-write lock that is read': {
    ...written,
    hold: [1, 2].map(() => async (client) => await lockOf(client).readLock.acquire()),
    wait: [
      async (client) => await lockOf(client).writeLock.acquire(),
      async (client) => await lockOf(client).readLock.acquire(),
    ],
  },
  semaphore: {
    hold: [2, 1].map((count) => async (client) => await permitsOf(client).acquire(count)),
    wait: [1, 3].map((count) => async (client) => await permitsOf(client).acquire(count)),
    all: async (client, waitMs) => await permitsOf(client).tryAcquire(3, { waitMs }),
    more: async (client) => await permitsOf(client).tryAcquire(),
  },
  'permit-expirable semaphore': {
    hold: [2, 1].map((count) => async (client) => await leasedOf(client).acquireMany(count)),
    wait: [1, 3].map((count) => async (client) => await leasedOf(client).acquireMany(count)),
    all: async (client, waitMs) => await leasedOf(client).tryAcquireMany(3, { waitMs }),
    more: async (client) => await leasedOf(client).tryAcquire(),
  },
};

/** Releases what may be lost. */
async function release(grants: Grants): Promise<void> {
  const lost: unknown[] = [];
  for (const grant of [grants ?? []].flat()) {
    await grant.release().catch((error: unknown) => lost.push(error));
  }
  for (const error of lost) {
    expect(error instanceof LeaseLostError || error instanceof NotHeldError, String(error)).toBe(
      true,
    );
  }
}

interface Busy {
  readonly steady: SteadyWorld;
  readonly held: readonly Grants[];
  /** Each wait, with the release of what it was granted. */
  readonly waits: Promise<unknown>;
}

async function busy({ hold, wait }: Kind): Promise<Busy> {
  const steady = await steadyWorld(lua);
  const clients = steady.world.clients.map(({ client }) => client);
  const held: Grants[] = [];
  for (const [i, acquire] of hold.entries()) {
    held.push(await steady.finish(acquire(clients[i]!)));
  }
  const waits = Promise.all(
    wait.map(async (acquire, i) => {
      await release(await acquire(clients[hold.length + i]!));
    }),
  );
  waits.catch(() => {});
  await passes(steady, 1_000);
  return { steady, held, waits };
}

const passes = async ({ world }: SteadyWorld, ms: number): Promise<void> => {
  await world.timeline.run(world.timeline.now + ms);
};

const keysOf = ({ world }: SteadyWorld): string[] => world.host.server.keyspace.keys();

const cases = await Promise.all(
  Object.entries(kinds).map(async ([name, kind]) => {
    const { steady, held, waits } = await busy(kind);
    const keys = keysOf(steady);
    for (const grants of held) {
      await steady.finish(release(grants));
    }
    await steady.finish(waits);
    return { name, kind, keys };
  }),
);

describe.each(cases)('a $name', ({ kind, keys }) => {
  test.each(keys)('has everything again when it was busy and lost the key %s', async (key) => {
    const { steady, held, waits } = await busy(kind);
    const [first, second] = steady.world.clients.map(({ client }) => client);

    expect(steady.world.host.server.keyspace.delete(key)).toBe(true);
    await passes(steady, SETTLED_MS);
    for (const grants of held) {
      await steady.finish(release(grants));
    }
    await steady.finish(waits);
    const all = await steady.finish(kind.all(first!, SETTLED_MS));

    expect(all).not.toBeNull();
    expect(await steady.finish(kind.more(second!))).toBeNull();
  });
});

/** Of a latch there is nothing to be had: its waiters go on, and the next one opens when it has been counted down. */
const latchOf = (client: Client) => client.getCountDownLatch(OBJECT);

async function busyLatch(): Promise<{ steady: SteadyWorld; waits: Promise<unknown> }> {
  const steady = await steadyWorld(lua);
  const clients = steady.world.clients.map(({ client }) => client);
  await steady.finish(latchOf(clients[0]!).trySetCount(3));
  await steady.finish(latchOf(clients[0]!).countDown());
  const waits = Promise.all(clients.map((client) => latchOf(client).wait()));
  waits.catch(() => {});
  await passes(steady, 1_000);
  return { steady, waits };
}

const latch = await busyLatch();
const latchKeys = keysOf(latch.steady);

test.each(latchKeys)(
  'a latch that was busy and lost the key %s opens, and so does the next one',
  async (key) => {
    const { steady, waits } = await busyLatch();
    const [first, second] = steady.world.clients.map(({ client }) => latchOf(client));

    expect(steady.world.host.server.keyspace.delete(key)).toBe(true);
    await passes(steady, SETTLED_MS);
    await steady.finish(first!.countDown());
    await steady.finish(second!.countDown());
    await steady.finish(waits);

    expect(await steady.finish(first!.trySetCount(1))).toBe(true);
    const next = second!.wait();
    await steady.finish(first!.countDown());
    await steady.finish(next);
  },
);
