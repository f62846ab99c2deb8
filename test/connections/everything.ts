// Everything that can be done with each kind of object, so that all its scripts run, and what a user
// has to be allowed for that.

import type { Cluster, Redis } from 'ioredis';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { prefixed } from '../support/kinds/connection.js';
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

/** What a user needs besides, where the objects are in a database other than 0, or in a cluster. */
export const further = {
  server: [],
  database: ['select'],
  cluster: ['cluster|slots', 'ssubscribe', 'sunsubscribe', 'spublish', 'asking'],
};

/** Objects whose names start so are allowed: their keys, and the keys and channels beside them. */
export function patterns(prefix: string): string[] {
  const keys = [
    'redlatch_*',
    ...['token', 'queue', 'timeout'].map((word) => `redisson_lock_${word}`),
  ];
  const channels = ['lock__channel', 'countdownlatch__channel__', 'rwlock', 'sc'];
  // What stands beside a name without a tag has braces around it.
  const forms = [prefix, `{${prefix}`];
  return [
    ...forms.map((form) => `~${form}*`),
    ...keys.flatMap((key) => forms.map((form) => `~${key}:${form}*`)),
    ...channels.flatMap((channel) => forms.map((form) => `&redisson_${channel}:${form}*`)),
    // Outside clusters, the channel of a latch has braces around every name.
    ...forms.map((form) => `&redisson_countdownlatch__channel__{${form}*`),
    '&redlatch:*',
    '&redlatch_self:*',
  ];
}

/** All that a user needs for objects whose names start so. */
export function leastRights(prefix: string, where: keyof typeof further = 'server'): string[] {
  const commands = [...connecting, ...inScripts, ...further[where]];
  return [...patterns(prefix), ...commands.map((command) => `+${command}`)];
}

type Raw = Redis | Cluster;

interface Use {
  readonly client: Client;
  readonly raw: Raw;
  readonly nameOf: (what: string) => string;
}

async function useLocks({ client, nameOf }: Use): Promise<void> {
  const fenced = client.getFencedLock(nameOf('fenced'));
  await fenced.using(async (hold) => {
    await hold.extend(40_000);
    await fenced.using(async () => await fenced.holdCount());
  });
  const lock = client.getLock(nameOf('lock'));
  await (await client.adopt(await (await lock.acquire()).detach())).release();
  await lock.acquire({ leaseMs: 60_000 });
  await lock.forceRelease();
  await lock.tryAcquire();
  await lock.forceRelease();
}

async function useMultiLock({ client, nameOf }: Use): Promise<void> {
  const names = ['first', 'second', 'third'].map(nameOf);
  const lock = client.getMultiLock(names, { fenced: true });
  const waiting = await client.getFencedLock(lock.names[1] ?? '').using(async () => {
    const acquiring = lock.acquire({ within: null, leaseMs: 60_000 });
    await eventually(async () => await client.getFencedLock(lock.names[0] ?? '').isLocked());
    return [acquiring];
  });
  for (const hold of await Promise.all(waiting)) {
    await hold.extend(70_000);
    await hold.release();
  }
}

async function useFairLock({ client, raw, nameOf }: Use): Promise<void> {
  const lock = client.getFairLock(nameOf('fair'));
  const hold = await lock.acquire();
  const abort = new AbortController();
  const leaving = lock.acquire({ signal: abort.signal }).catch((error: unknown) => {
    if (!abort.signal.aborted) {
      throw error;
    }
  });
  const waiting = lock.acquire();
  const queue = prefixed('redisson_lock_queue', lock.name);
  // Who may not queue fails, and is not waited for.
  const isQueued = eventually(async () => (await raw.llen(queue)) === 2);
  await Promise.race([isQueued, Promise.all([leaving, waiting])]);
  abort.abort();
  await leaving;
  await hold.release();
  await waiting;
  await lock.forceRelease();
}

async function useReadWriteLock({ client, nameOf }: Use): Promise<void> {
  const { readLock, writeLock } = client.getReadWriteLock(nameOf('book'));
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

async function useSemaphore({ client, raw, nameOf }: Use): Promise<void> {
  const semaphore = client.getSemaphore(nameOf('gate'));
  await semaphore.trySetPermits(3, { ttlMs: 60_000 });
  await semaphore.using(async () => await semaphore.availablePermits(), { permits: 2 });
  await semaphore.addPermits(-1);
  await semaphore.drainPermits();
  await semaphore.delete();
  // As Java makes one: nothing is known of it.
  await raw.set(semaphore.name, 3);
  await semaphore.delete();
  const told = client.getSemaphore(nameOf('gate'), { permits: 3 });
  await told.using(async () => await told.availablePermits());
  await client.getSemaphore(told.name, { permits: 4 }).availablePermits();
  await told.delete();
}

async function usePermits({ client, raw, nameOf }: Use): Promise<void> {
  const semaphore = client.getPermitExpirableSemaphore(nameOf('seats'));
  await semaphore.trySetPermits(3, { ttlMs: 60_000 });
  await semaphore.setPermits(2);
  const [first, second] = await semaphore.acquireMany(2);
  await semaphore.tryAcquire();
  await first?.extend(40_000);
  await (await client.adopt((await first?.detach()) ?? '')).release();
  await semaphore.updateLease(second?.id ?? '', 40_000);
  await semaphore.release(second?.id ?? '');
  await semaphore.acquiredPermits();
  await semaphore.delete();
  // As Java makes one: nothing is known of it.
  await raw.set(semaphore.name, 3);
  await semaphore.delete();
  const told = client.getPermitExpirableSemaphore(nameOf('seats'), { permits: 3 });
  await told.using(async () => await told.availablePermits());
  const permits = { count: 4, onMismatch: 'set' } as const;
  await client.getPermitExpirableSemaphore(told.name, { permits }).availablePermits();
  await told.delete();
}

async function useLatch({ client, nameOf }: Use): Promise<void> {
  const latch = client.getCountDownLatch(nameOf('latch'));
  await latch.trySetCount(2, { ttlMs: 60_000 });
  await latch.countDown();
  await latch.count();
  const waiting = latch.wait({ waitMs: 3_000 });
  await latch.countDown();
  await waiting;
  await latch.trySetCount(1);
  await latch.delete();
}

/** Uses everything once. `raw` may look at all keys, `nameOf` makes a new name. */
export async function useEverything(
  client: Client,
  raw: Raw,
  nameOf: (what: string) => string = randomName,
): Promise<void> {
  const use = { client, raw, nameOf };
  await useLocks(use);
  await useMultiLock(use);
  await useFairLock(use);
  await useReadWriteLock(use);
  await useSemaphore(use);
  await usePermits(use);
  await useLatch(use);
}
