// A lock that was handed to somebody who lets a short lease run out: the next waiter knows of its end.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type Hold, type Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { exclusiveLocks } from '../../support/kinds/kinds.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoResidue } from '../../support/residue.js';

const raw = rawClient();

/** A lease that is let run out. */
const LEASE_MS = 200;

/** Nobody has waited that long for the next question of the heartbeat. */
const IDLE_MAX_MS = 550;

function open(): Client {
  const client = createClient({ redis: redisUrl() });
  onTestFinished(async () => await client.close());
  return client;
}

function nameOf(): string {
  const name = randomName('idle');
  onTestFinished(async () => {
    await raw.del(`redisson_lock_token:{${name}}`);
    await expectNoResidue(name, {
      allow: [/redlatch_(tickets|line|cancelled|requests|writers|beats|waiting|readers):/],
    });
  });
  return name;
}

/** Resolves once a wait of its client has been answered, with the hold to come. */
async function waits(
  client: Client,
  lock: Lock,
  options: { leaseMs?: number } = {},
): Promise<{ hold: Promise<Hold> }> {
  // The confirmation of its own channel is asked about: the waits after that are quiet.
  const before = await lock.tryAcquire();
  expect(before).toBeNull();
  const hold = lock.acquire(options);
  hold.catch(() => undefined);
  await eventually(async () => await isSeen(client, lock));
  return { hold };
}

/** The server has an entry of the client, and has seen it listen where that is noted. */
async function isSeen({ id }: Client, { name }: Lock): Promise<boolean> {
  const tickets = await raw.hgetall(`redlatch_tickets:{${name}}`);
  const readers = await raw.zscore(`redlatch_waiting:{${name}}`, id);
  const own = Object.entries(tickets).find(([holder]) => holder.startsWith(`${id}:`));
  return readers !== null || own?.[1].split(' ').some((flag, i) => i > 0 && flag === '1') === true;
}

/** How long the lock was nobody's after the short lease had ended. */
async function idleMs(first: Hold, short: Promise<Hold>, next: Promise<Hold>): Promise<number> {
  await first.release();
  await short;
  const endsAt = performance.now() + LEASE_MS;
  const hold = await next;
  const idle = performance.now() - endsAt;
  await hold.release();
  return idle;
}

describe.each(exclusiveLocks)('$what', (kind) => {
  test('does not stand idle when whoever it was handed to lets its lease run out', async () => {
    const [name, clients] = [nameOf(), [open(), open(), open()] as const];
    const [first, second, third] = clients.map((client) => kind.create(client, name));
    const held = await first!.acquire();
    const short = await waits(clients[1], second!, { leaseMs: LEASE_MS });
    const next = await waits(clients[2], third!);

    expect(await idleMs(held, short.hold, next.hold)).toBeLessThan(IDLE_MAX_MS);
  });

  test('does not stand idle when that was a waiter of the same client', async () => {
    const [name, clients] = [nameOf(), [open(), open()] as const];
    const [first, second] = clients.map((client) => kind.create(client, name));
    const held = await first!.acquire();
    const short = await waits(clients[1], second!, { leaseMs: LEASE_MS });
    const next = second!.acquire();

    expect(await idleMs(held, short.hold, next)).toBeLessThan(IDLE_MAX_MS);
  });

  test('does not stand idle when the next waiter stood behind another one of its client', async () => {
    const [name, clients] = [nameOf(), [open(), open(), open()] as const];
    const [first, second, third] = clients.map((client) => kind.create(client, name));
    const held = await first!.acquire();
    // It is not passed on inside the client.
    const before = await waits(clients[1], second!, { leaseMs: 30_000 });
    const short = await waits(clients[2], third!, { leaseMs: LEASE_MS });
    const next = second!.acquire();
    await held.release();

    expect(await idleMs(await before.hold, short.hold, next)).toBeLessThan(IDLE_MAX_MS);
  });
});

describe('read-write lock', () => {
  test.each(['writer before a reader', 'reader before a writer'])('%s', async (what) => {
    const [name, clients] = [nameOf(), [open(), open(), open()] as const];
    const [first, second, third] = clients.map((client) => client.getReadWriteLock(name));
    const isReaderLast = what.endsWith('reader');
    const held = await first!.writeLock.acquire();
    const before = isReaderLast ? second!.writeLock : second!.readLock;
    const short = await waits(clients[1], before, { leaseMs: LEASE_MS });
    const next = await waits(clients[2], isReaderLast ? third!.readLock : third!.writeLock);

    expect(await idleMs(held, short.hold, next.hold)).toBeLessThan(IDLE_MAX_MS);
  });

  test('a writer, where of several readers the one with the longest lease is out first', async () => {
    const [name, clients] = [nameOf(), [open(), open(), open()] as const];
    const [first, second, third] = clients.map((client) => client.getReadWriteLock(name));
    const long = await first!.readLock.acquire();
    await second!.readLock.acquire({ leaseMs: 2 * LEASE_MS });
    const endsAt = performance.now() + 2 * LEASE_MS;
    const next = await waits(clients[2], third!.writeLock);

    await long.release();

    const hold = await next.hold;
    expect(performance.now() - endsAt).toBeLessThan(IDLE_MAX_MS);
    await hold.release();
  });
});
