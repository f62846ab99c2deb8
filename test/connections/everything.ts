// Everything that can be done with each kind of object, so that all its scripts run, and what a user
// has to be allowed for that.

import type { Redis } from 'ioredis';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName } from '../support/redis.js';

/** What a user needs: to connect, to listen, and to run scripts ... */
export const connecting = ['info', 'ping', 'subscribe', 'unsubscribe', 'eval', 'evalsha'];

/** ... in which these commands are used. */
export const inScripts = [
  'get set incrby decr decrby del unlink exists pttl pexpire persist time publish',
  'type hget hset hdel hexists hlen hscan hrandfield hgetall pubsub',
  'zadd zrem zcard zcount zscore zmscore zrange zrevrange zrangebyscore zremrangebyscore',
  'llen lindex lrange lpos lpush rpush lrem linsert',
].flatMap((line) => line.split(' '));

/** Used only where a waiter of a fair lock is absent, waits in Java, or has lost its entry; where Java
 * reads; where a lock is handed on; and where a key holds something else. */
export const seldom = 'lpos lpush linsert persist type hrandfield hgetall pubsub'.split(' ');

/** Objects whose names start so are allowed: their keys, and the keys and channels beside them. */
export function patterns(prefix: string): string[] {
  const keys = ['', '{', 'redlatch_*:{', 'redisson_lock_token:{'];
  const queues = ['redisson_lock_queue:{', 'redisson_lock_timeout:{'];
  const channels = ['lock__channel:{', 'countdownlatch__channel__{', 'rwlock:{', 'sc:{'];
  return [
    ...[...keys, ...queues].map((start) => `~${start}${prefix}*`),
    ...channels.map((start) => `&redisson_${start}${prefix}*`),
    '&redlatch:*',
  ];
}

async function useLocks(client: Client): Promise<void> {
  const fenced = client.getFencedLock(randomName('fenced'));
  await fenced.using(async (hold) => {
    await hold.extend(40_000);
    await fenced.using(async () => await fenced.holdCount());
  });
  const lock = client.getLock(randomName('lock'));
  await lock.acquire({ leaseMs: 60_000 });
  await lock.forceRelease();
  await lock.tryAcquire();
  await lock.forceRelease();
}

async function useFairLock(client: Client, raw: Redis): Promise<void> {
  const lock = client.getFairLock(randomName('fair'));
  const hold = await lock.acquire();
  const abort = new AbortController();
  const leaving = lock.acquire({ signal: abort.signal }).catch((error: unknown) => {
    if (!abort.signal.aborted) {
      throw error;
    }
  });
  const waiting = lock.acquire();
  const queue = `redisson_lock_queue:{${lock.name}}`;
  // Who may not queue fails, and is not waited for.
  const isQueued = eventually(async () => (await raw.llen(queue)) === 2);
  await Promise.race([isQueued, Promise.all([leaving, waiting])]);
  abort.abort();
  await leaving;
  await hold.release();
  await waiting;
  await lock.forceRelease();
}

async function useReadWriteLock(client: Client): Promise<void> {
  const { readLock, writeLock } = client.getReadWriteLock(randomName('book'));
  await writeLock.using(async (write) => {
    await write.extend(40_000);
    await readLock.using(async (read) => await read.extend(40_000));
  });
  await readLock.using(async (read) => await read.extend(40_000));
  await readLock.acquire();
  await writeLock.tryAcquire();
  await readLock.holdCount();
  await readLock.forceRelease();
}

async function useSemaphore(client: Client, raw: Redis): Promise<void> {
  const semaphore = client.getSemaphore(randomName('gate'));
  await semaphore.trySetPermits(3, { ttlMs: 60_000 });
  await semaphore.using(async () => await semaphore.availablePermits(), { permits: 2 });
  await semaphore.addPermits(-1);
  await semaphore.drainPermits();
  await semaphore.delete();
  // As Java makes one: nothing is known of it.
  await raw.set(semaphore.name, 3);
  await semaphore.delete();
  const told = client.getSemaphore(randomName('gate'), { permits: 3 });
  await told.using(async () => await told.availablePermits());
  client.getSemaphore(told.name, { permits: 4 });
  await told.availablePermits();
  await told.delete();
}

async function usePermits(client: Client, raw: Redis): Promise<void> {
  const semaphore = client.getPermitExpirableSemaphore(randomName('seats'));
  await semaphore.trySetPermits(3, { ttlMs: 60_000 });
  await semaphore.setPermits(2);
  const [first, second] = await semaphore.acquireMany(2);
  await semaphore.tryAcquire();
  await first?.extend(40_000);
  await semaphore.updateLease(second?.id ?? '', 40_000);
  await semaphore.release(second?.id ?? '');
  await first?.release();
  await semaphore.acquiredPermits();
  await semaphore.delete();
  // As Java makes one: nothing is known of it.
  await raw.set(semaphore.name, 3);
  await semaphore.delete();
  const told = client.getPermitExpirableSemaphore(randomName('seats'), { permits: 3 });
  await told.using(async () => await told.availablePermits());
  client.getPermitExpirableSemaphore(told.name, { permits: 4 });
  await told.availablePermits();
  await told.delete();
}

async function useLatch(client: Client): Promise<void> {
  const latch = client.getCountDownLatch(randomName('latch'));
  await latch.trySetCount(2, { ttlMs: 60_000 });
  await latch.countDown();
  await latch.count();
  const waiting = latch.wait({ waitMs: 3_000 });
  await latch.countDown();
  await waiting;
  await latch.trySetCount(1);
  await latch.delete();
}

/** Uses everything once. `raw` may look at all keys. */
export async function useEverything(client: Client, raw: Redis): Promise<void> {
  await useLocks(client);
  await useFairLock(client, raw);
  await useReadWriteLock(client);
  await useSemaphore(client, raw);
  await usePermits(client, raw);
  await useLatch(client);
}
