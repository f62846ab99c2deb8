// A server at maxmemory for longer than a lease: what is held stays held, and is released and given back.

import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Client } from '../../src/index.js';
import { now } from './history.js';
import type { Scene } from './scene.js';

/** Renewed in time beside a process that is blocked for half a second. */
const LEASE_MS = 1_500;
/** Every lease that was not renewed has ended by then. */
const FULL_MS = LEASE_MS * 1.2;
/** A process that could not run for so long may have lost something by that. */
const STALLED_MS = LEASE_MS / 3;
const PERMITS = 2;

/** One of each kind, held by a client that nothing else disturbs. */
interface Kept {
  readonly name: string;
  readonly isHeld: () => boolean;
  /** Returns whether everything is back. */
  readonly release: () => Promise<boolean>;
}

async function takeLocks(client: Client, nameOf: (kind: string) => string): Promise<Kept[]> {
  const locks = [
    client.getLock(nameOf('lock')),
    client.getFairLock(nameOf('fair')),
    client.getFencedLock(nameOf('fenced')),
    client.getReadWriteLock(nameOf('read')).readLock,
    client.getReadWriteLock(nameOf('write')).writeLock,
  ];
  return await Promise.all(
    locks.map(async (lock) => {
      const hold = await lock.acquire();
      const release = async (): Promise<boolean> => {
        await hold.release();
        return !(await lock.isLocked());
      };
      return { name: lock.name, isHeld: () => hold.isHeld, release };
    }),
  );
}

async function takeCounts(client: Client, nameOf: (kind: string) => string): Promise<Kept[]> {
  const leased = client.getPermitExpirableSemaphore(nameOf('permits'));
  const counted = client.getSemaphore(nameOf('semaphore'));
  const latch = client.getCountDownLatch(nameOf('latch'));
  await latch.trySetCount(1);
  const kept: Kept = {
    name: latch.name,
    isHeld: () => true,
    release: async () => {
      await latch.countDown();
      return (await latch.count()) === 0;
    },
  };
  const taken = [leased, counted].map(async (semaphore) => {
    await semaphore.trySetPermits(PERMITS);
    const grant = await semaphore.acquire();
    const release = async (): Promise<boolean> => {
      await grant.release();
      const left = await semaphore.availablePermits();
      await semaphore.delete();
      return left === PERMITS;
    };
    return { name: semaphore.name, isHeld: () => !('isHeld' in grant) || grant.isHeld, release };
  });
  return [kept, ...(await Promise.all(taken))];
}

/** Nobody gets anything new for a while; what is held is judged at its end, and then released. */
export async function fill(scene: Scene): Promise<void> {
  const { history, prefix, raw, recorder, server } = scene;
  const label = 'the keeper';
  const client = createClient({ redis: server.url, leaseMs: LEASE_MS });
  scene.ids.set(client.id, label);
  const nameOf = (kind: string): string => `${prefix}:kept-${kind}`;
  const kept = [...(await takeLocks(client, nameOf)), ...(await takeCounts(client, nameOf))];
  const from = now();
  await raw.config('SET', 'maxmemory', '1');
  scene.isFull = true;
  await delay(FULL_MS);
  for (const { name, isHeld, release } of kept) {
    const wasHeld = isHeld();
    const call = recorder.begin(label, label, 'release', name);
    await recorder.run(call, release);
    const hasRun = history.stalls.every(
      (stall) => stall.until < from || stall.until - stall.from < STALLED_MS,
    );
    if (hasRun && !(wasHeld && call.outcome === 'done')) {
      const text = `${wasHeld ? 'held' : 'lost'} at maxmemory, and its release was ${call.outcome}`;
      history.violated('what is held needs no memory', name, text);
    }
  }
  scene.isFull = false;
  await raw.config('SET', 'maxmemory', '0');
  await client.close();
  await raw.del(`redisson_lock_token:{${nameOf('fenced')}}`);
}
