// At maxmemory nobody gets anything new, and all that is held stays held, is released and given back:
// none of that needs memory for long.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';

const LEASE_MS = 900;

let server: OwnServer;
let client: Client;
const lost: string[] = [];

beforeAll(async () => {
  server = await ownServer();
  client = createClient({ redis: server.url, leaseMs: LEASE_MS });
  client.on('lost', ({ kind, resource }) => lost.push(`${kind} ${resource}`));
});

afterAll(async () => {
  await client.close({ timeoutMs: 1_000 });
});

async function full(isFull: boolean): Promise<void> {
  await rawClient(server.url).config('SET', 'maxmemory', isFull ? '1' : '0');
}

interface Held {
  /** What is done with it while the server is full. */
  readonly use?: () => Promise<unknown>;
  readonly release: () => Promise<unknown>;
  readonly isHeld?: () => boolean;
}

type Take = (name: string) => Promise<Held>;

const locks = {
  'a lock': (name: string) => client.getLock(name),
  'a fenced lock': (name: string) => client.getFencedLock(name),
  'a fair lock': (name: string) => client.getFairLock(name),
  'a read lock': (name: string) => client.getReadWriteLock(name).readLock,
  'a write lock': (name: string) => client.getReadWriteLock(name).writeLock,
};

async function expirable(name: string, ttlMs?: number, idleMs?: number): Promise<Held> {
  const options = idleMs === undefined ? undefined : { permits: { count: 3, idleMs } };
  const semaphore = client.getPermitExpirableSemaphore(name, options);
  await semaphore.trySetPermits(3, ttlMs === undefined ? {} : { ttlMs });
  const [one, other] = [await semaphore.acquire(), await semaphore.acquire({ leaseMs: 60_000 })];
  return {
    use: async () => {
      await one.extend(LEASE_MS * 3);
      await semaphore.updateLease(other.id, 90_000);
    },
    isHeld: () => one.isHeld && other.isHeld,
    release: async () => {
      await one.release();
      await semaphore.release(other.id);
      expect(await semaphore.availablePermits()).toBe(3);
    },
  };
}

const takes: Record<string, Take> = {
  ...Object.fromEntries(
    Object.entries(locks).map(([what, lockOf]): [string, Take] => [
      what,
      async (name) => {
        const hold = await lockOf(name).acquire();
        return {
          use: async () => await hold.extend(LEASE_MS * 3),
          isHeld: () => hold.isHeld,
          release: async () => await hold.release(),
        };
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(locks).map(([what, lockOf]): [string, Take] => [
      `${what}, entered twice`,
      async (name) => {
        const outer = await lockOf(name).acquire();
        const inner = await lockOf(name).acquire({ within: outer });
        return {
          use: async () => await inner.release(),
          isHeld: () => outer.isHeld,
          release: async () => await outer.release(),
        };
      },
    ]),
  ),
  'a write lock that is left for a read lock': async (name) => {
    const { readLock, writeLock } = client.getReadWriteLock(name);
    const writer = await writeLock.acquire();
    const reader = await writer.run(async () => await readLock.acquire());
    return {
      use: async () => await writer.release(),
      isHeld: () => reader.isHeld,
      release: async () => await reader.release(),
    };
  },
  'a permit': async (name) => await expirable(name),
  'a permit of a semaphore that ends': async (name) => await expirable(name, 100_000),
  'a permit of a semaphore with an idleMs': async (name) =>
    await expirable(name, undefined, 300_000),
  'permits of a semaphore with an idleMs': async (name) => {
    const permits = { count: 5, idleMs: 300_000 };
    const semaphore = client.getSemaphore(name, { permits });
    const [some, others] = [await semaphore.acquire(3), await semaphore.acquire(1)];
    return {
      use: async () => await others.release(),
      release: async () => {
        await some.release();
        expect(await semaphore.availablePermits()).toBe(5);
      },
    };
  },
  'permits without a lease': async (name) => {
    const semaphore = client.getSemaphore(name);
    await semaphore.trySetPermits(5);
    const permits = await semaphore.acquire(3);
    return {
      use: async () => {
        await semaphore.release(1);
      },
      release: async () => {
        await permits.release();
        expect(await semaphore.availablePermits()).toBe(6);
      },
    };
  },
  'a latch': async (name) => {
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(2);
    const waiting = latch.wait();
    return {
      use: async () => await latch.countDown(),
      release: async () => {
        await latch.countDown();
        await waiting;
      },
    };
  },
  'a lock that is freed by force': async (name) => {
    const lock = client.getLock(name);
    await lock.acquire({ leaseMs: 60_000 });
    return { release: async () => expect(await lock.forceRelease()).toBe(true) };
  },
  'permits that are deleted': async (name) => {
    const semaphore = client.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(5);
    return { release: async () => expect(await semaphore.delete()).toBe(true) };
  },
};

describe('longer than a lease at maxmemory', () => {
  const all = Object.entries(takes).map(([what, take]) => ({ what, take, name: randomName() }));
  const held = new Map<string, Held>();

  beforeAll(async () => {
    await Promise.all(all.map(async ({ what, take, name }) => held.set(what, await take(name))));
    const clock = randomName('clock');
    await rawClient(server.url).set(clock, '1', 'PX', LEASE_MS * 2);
    await full(true);
    // When this one has ended, so has every lease that was not renewed.
    await eventually(async () => (await rawClient(server.url).exists(clock)) === 0);
  });

  afterAll(async () => {
    await full(false);
  });

  test('nothing is lost', () => {
    expect(lost).toEqual([]);
    expect([...held].filter(([, { isHeld }]) => isHeld?.() === false)).toEqual([]);
  });

  test.for(all)('$what can be used and released', async ({ what }) => {
    const { use, release, isHeld } = held.get(what)!;
    await use?.();
    expect(isHeld?.()).not.toBe(false);
    await release();
  });
});
