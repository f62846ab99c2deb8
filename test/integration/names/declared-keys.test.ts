// Redis is told every key of a script beforehand: what the server sees a script touch, over the
// whole API, is among the keys of its call.

import { afterAll, expect, test } from 'vitest';
import type { Client, Lock } from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { RECHECK_MAX_MS } from '../../../src/core/waiting/timing.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { rawClient } from '../../support/redis.js';
import { watchCommands } from '../../support/monitor.js';
import { toldOf } from '../../support/told.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { skippingClock } from '../../support/skipping-clock.js';
import { ownServer } from '../../support/server.js';
import { useHandedOver, useIdle, useQuorum, useSeveral } from './several.js';

const scope = testScope('declared');
const [server, one, two] = await Promise.all([ownServer(), ownServer(), ownServer()]);
const servers = [server.url, one.url, two.url];
const raw = rawClient(server.url);

afterAll(async () => {
  await raw.del(...(await raw.keys('redisson_lock_token:*')), scope.prefix);
  const allow = [/^redlatch_(?:cancelled|requests|opened|tickets):/];
  await expectNoResidue(scope.prefix, { allow, client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

interface Ran {
  readonly script: string;
  readonly declared: readonly string[];
  readonly touched: Set<string>;
}

const names = new Map(Object.values(scripts).map(({ sha1, name }) => [sha1, name] as const));
/** Commands of a script that have no key, or a channel in its place. */
const keyless = new Set(['TIME', 'PUBLISH', 'SPUBLISH', 'PUBSUB']);
/** Commands of which every argument is a key. */
const manyKeys = new Set(['DEL', 'UNLINK', 'EXISTS']);

/** Watches what scripts do, from the moment this returns to the end of the test. */
async function watch(): Promise<Ran[]> {
  const ran: Ran[] = [];
  await watchCommands(rawClient(server.url), ([command = '', ...args], origin) => {
    if (origin === 'lua') {
      if (!keyless.has(command.toUpperCase())) {
        const keys = manyKeys.has(command.toUpperCase()) ? args : args.slice(0, 1);
        keys.forEach((key) => ran.at(-1)?.touched.add(key));
      }
    } else if (/^eval(?:sha)?$/i.test(command)) {
      const [what = '', count, ...operands] = args;
      // A source begins with its name, and comes here with its line ends written out.
      const script = names.get(what) ?? /^-- (.+?)\\n/.exec(what)?.[1] ?? what;
      ran.push({ script, declared: operands.slice(0, Number(count)), touched: new Set() });
    }
  });
  return ran;
}

/** Only the script knows who holds the lock: hold keys of other readers, tombstones of all holders. */
const walks = new Set([
  'rwlock/release-read',
  'rwlock/acquire-write',
  'rwlock/inspect',
  'rwlock/lease',
  'rwlock/force-release',
  'lock/force-release',
  'fair-lock/force-release',
]);
const isOfHolder = (key: string): boolean => /:rwlock_timeout:\d+$|^redlatch_cancelled:/.test(key);

interface Users {
  readonly proxy: Proxy;
  readonly client: Client;
  readonly other: Client;
}

/** Makes a call that is given up, taken back and burnt. */
async function giveUp({ proxy }: Users, name: string, call: () => Promise<unknown>): Promise<void> {
  const held = proxy.holdRequests((command) => command.some((part) => part.includes(name)));
  await call().catch(() => undefined);
  held.release();
}

async function useLock(users: Users, lock: Lock, rival: Lock): Promise<void> {
  await lock.using(async (outer) => {
    await lock.using(async () => await lock.holdCount());
    await outer.extend(2_000);
    await rival.tryAcquire();
    await lock.remainingLeaseMs();
    await lock.holders();
  });
  await lock.acquire();
  await lock.forceRelease();
  await giveUp(users, lock.name, () => lock.tryAcquire({ waitMs: 50 }));
}

/** Somebody waits, leaves again, and somebody else gets in. */
async function queueUp(lock: Lock, rival: Lock): Promise<void> {
  const held = await rival.acquire();
  const abort = new AbortController();
  const leaving = lock.acquire({ signal: abort.signal }).catch(() => undefined);
  const waiting = lock.acquire();
  await listening(lock.name, 1);
  abort.abort();
  await leaving;
  await held.release();
  await (await waiting).release();
}

/** Three take turns, and one of them is told of nothing, so that it asks again and again. */
async function handOn(clients: readonly Client[], name: string): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < 5; i += 1) {
        await (await client.getLock(name).acquire()).release();
        await (await client.getFencedLock(`${name}fenced`).acquire()).release();
      }
    }),
  );
}

async function listening(name: string, count: number): Promise<void> {
  await eventually(async () => (await toldOf(name, raw)) >= count);
}

async function useReadWriteLock(users: Users, name: string): Promise<void> {
  const { readLock, writeLock } = users.client.getReadWriteLock(name);
  const theirs = users.other.getReadWriteLock(name);
  await useLock(users, readLock, theirs.writeLock);
  await useLock(users, writeLock, theirs.readLock);
  await queueUp(writeLock, theirs.readLock);
  await queueUp(readLock, theirs.writeLock);
  await writeLock.using(async () => await readLock.using(() => undefined));
  // A reader of Redisson that died, and one that lives.
  const stem = name.includes('{') ? name : `{${name}}`;
  await raw.hset(name, {
    mode: 'read',
    '6a617661-0000-4000-8000-000000000000:1': 1,
    '6a617661-0000-4000-8000-000000000000:2': 2,
  });
  await raw.set(
    `${stem}:6a617661-0000-4000-8000-000000000000:2:rwlock_timeout:2`,
    '1',
    'PX',
    60_000,
  );
  await readLock.using(async () => await readLock.holders());
  await readLock.remainingLeaseMs();
  await writeLock.tryAcquire();
  await theirs.readLock.forceRelease();
  // Readers that wait and leave: nobody of the client is left in line.
  const writing = await theirs.writeLock.acquire();
  await readLock.tryAcquire({ waitMs: 100 });
  await writing.release();
}

async function useSemaphore(users: Users, name: string): Promise<void> {
  const semaphore = users.client.getSemaphore(name);
  await semaphore.trySetPermits(4, { ttlMs: 60_000 });
  await semaphore.addPermits(1);
  const permits = await semaphore.acquire(5);
  const waiting = semaphore.acquire(2);
  await listening(name, 1);
  await permits.release();
  await (await waiting).release();
  await giveUp(users, name, () => semaphore.acquire(1, { waitMs: 50 }));
  await semaphore.drainPermits();
  await semaphore.release(2);
  await semaphore.availablePermits();
  await semaphore.delete();
  // The first uses of a client that was told a number: one makes a semaphore, others compare it.
  const told = users.other.getSemaphore(name, { permits: 5 });
  await (await told.acquire(2)).release();
  users.other.getSemaphore(name, { permits: 6 });
  await told.availablePermits();
  users.other.getSemaphore(name, { permits: 7 });
  await told.addPermits(1);
  users.other.getSemaphore(name, { permits: 8 });
  await told.drainPermits();
  await told.delete();
}

async function usePermits(users: Users, name: string): Promise<void> {
  const semaphore = users.client.getPermitExpirableSemaphore(name);
  const theirs = users.other.getPermitExpirableSemaphore(name);
  await semaphore.trySetPermits(2, { ttlMs: 60_000 });
  await semaphore.addPermits(1);
  await semaphore.setPermits(4);
  const permits = await semaphore.acquireMany(4);
  const waiting = theirs.acquire();
  await listening(name, 1);
  await permits[0]?.extend(5_000);
  await permits[0]?.release();
  const foreign = await waiting;
  await semaphore.updateLease(foreign.id, 10_000);
  await semaphore.release(foreign.id);
  await semaphore.totalPermits();
  // One that expires is reclaimed by whoever asks next.
  await theirs.acquire({ leaseMs: 20 });
  await (await semaphore.acquire()).release();
  await giveUp(users, name, () => semaphore.tryAcquire({ waitMs: 50 }));
  // Only a wait of more than ten seconds would ask this.
  const keys = { timeouts: name.includes('{') ? `${name}:timeout` : `{${name}}:timeout` };
  const [count = 0, ...operands] = scripts.expirableSemaphoreHolders.operands(keys, {});
  await raw.eval(scripts.expirableSemaphoreHolders.source, Number(count), ...operands);
  await semaphore.delete();
  // The first uses of a client that was told a number: one makes a semaphore, others compare it.
  const told = users.other.getPermitExpirableSemaphore(name, { permits: 5 });
  await (await told.acquire()).release();
  users.other.getPermitExpirableSemaphore(name, { permits: 6 });
  await told.availablePermits();
  users.other.getPermitExpirableSemaphore(name, { permits: 7 });
  await told.addPermits(1);
  await told.delete();
}

async function useLatch(users: Users, name: string): Promise<void> {
  const latch = users.client.getCountDownLatch(name);
  await latch.trySetCount(3, { ttlMs: 60_000 });
  const passing = latch.wait();
  await latch.countDown();
  await latch.countDown();
  await giveUp(users, name, () => latch.countDown());
  await latch.delete();
  await passing;
  // Enough of them for a trim.
  await Promise.all(Array.from({ length: 60 }, async () => await latch.countDown()));
}

test('every key that a script touches is declared, over the whole API', async () => {
  const ran = await watch();
  const has = (script: string): boolean => ran.some((each) => each.script === script);
  const proxy = await startProxy({ target: server.url });
  const client = scope.client({ redis: proxy.url, leaseMs: 600, commandTimeoutMs: 400 });
  const other = scope.client({ redis: server.url });
  const keeper = scope.client({ redis: server.url, leaseMs: 600 });
  const clock = skippingClock();
  // Who races asks whether the lock is free.
  const patient = scope.client({ redis: server.url }, clock);
  const users = { proxy, client, other };
  const handing = [1, 2, 3].map(() => scope.client({ redis: server.url, handOff: 'strict' }));

  // A wait that outlives a re-check, and holds that outlive a renewal, while the rest goes on.
  const hold = await other.getLock(scope.name()).acquire();
  const waiting = patient.getLock(hold.lockName).acquire({ waitMs: 60_000 });
  const reading = await keeper.getReadWriteLock(scope.name()).readLock.acquire();
  const renewed = keeper.getPermitExpirableSemaphore(scope.name());
  await renewed.trySetPermits(1);
  const permit = await renewed.acquire();
  const wraps = [
    (name: string) => name,
    (name: string) => `{${name}}`,
    (name: string) => `a:{${name}}:b`,
  ];
  for (const wrap of wraps) {
    const [plain, fenced, fair] = [scope.name(), scope.name(), scope.name()].map(wrap);
    await useLock(users, client.getLock(plain!), other.getLock(plain!));
    await useLock(users, client.getFencedLock(fenced!), other.getFencedLock(fenced!));
    await useLock(users, client.getFairLock(fair!), other.getFairLock(fair!));
    await queueUp(client.getFairLock(fair!), other.getFairLock(fair!));
    await useSeveral(users, [wrap(scope.name()), wrap(scope.name())], raw);
    await useQuorum(servers, [wrap(scope.name()), wrap(scope.name())]);
    await handOn(handing, wrap(scope.name()));
    for (const use of [useReadWriteLock, useSemaphore, usePermits, useLatch, useHandedOver]) {
      await use(users, wrap(scope.name()));
    }
    await useIdle(other, wrap(scope.name()), wrap(scope.name()));
  }
  clock.skip(RECHECK_MAX_MS);
  const background = [
    'requests/trim',
    'lock/renew',
    'rwlock/renew-read',
    'expirable-semaphore/renew',
  ];
  await eventually(() => background.every(has), { withinMs: 15_000 });
  await Promise.all([hold.release(), reading.release(), permit.release()]);
  await renewed.delete();
  await (await waiting).release();

  const seen = new Set(ran.map(({ script }) => script));
  expect([...seen].toSorted()).toEqual([...names.values()].toSorted());
  const undeclared = ran.flatMap(({ script, declared, touched }) =>
    [...touched].filter((key) => !declared.includes(key)).map((key) => ({ script, key })),
  );
  const walked = undeclared.filter(({ script, key }) => walks.has(script) && isOfHolder(key));
  expect(undeclared.filter((each) => !walked.includes(each))).toEqual([]);
  expect(new Set(walked.map(({ script }) => script))).toEqual(walks);
  expect(ran.filter(({ touched }) => touched.size > 0).length).toBeGreaterThan(50);
});
