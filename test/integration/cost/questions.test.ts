// What a question costs the server: the same, however many hold what is asked about.

import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { CommandTimeoutError, type Hold, type Holder, type Lock } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { RwView } from '../rwlock/rwlock.js';

const scope = testScope('questions');
const server = await ownServer();
const raw = rawClient(server.url);

/** Holders of the small and of the big object of each kind. */
const FEW = 100;
const MANY = 20_000;
/** The tombstones that one forced release sets, about. */
const TOMBSTONES = 500;

/** Nobody lives as long as that. */
const LIFE_MS = 3_600_000;

const readerId = (i: number): string => `6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:${i}`;
const OTHER = '33333333-3333-4333-8333-333333333333:';
const other = (i: number): string => `${OTHER}${i}`;

afterAll(async () => {
  await expectNoChannels(scope.prefix, { client: raw });
});

/** Runs commands in batches that neither side has to hold at once. */
async function inBatches(
  count: number,
  add: (batch: ReturnType<typeof raw.pipeline>, i: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    const batch = raw.pipeline();
    for (let i = from; i < Math.min(from + 5_000, count); i += 1) {
      add(batch, i);
    }
    await batch.exec();
  }
}

/** A lock that so many read, all with the same lease: clients of ours, or Redisson's. */
async function readBy(whose: 'node' | 'java', count: number): Promise<RwView> {
  const view = new RwView(raw, scope.name());
  const end = (await view.now()) + LIFE_MS;
  await raw.hset(view.name, 'mode', 'read');
  await inBatches(count, (batch, i) => {
    batch.hset(view.name, readerId(i), 1);
    if (whose === 'node') {
      batch.zadd(view.readers, end, readerId(i));
    } else {
      batch.set(view.holdKey(readerId(i)), '1', 'PXAT', end);
    }
  });
  await raw.multi().pexpireat(view.name, end).pexpireat(view.readers, end).exec();
  return view;
}

/** What something cost the server. */
interface Cost {
  /** Script calls, and the commands that they ran. */
  readonly scripts: number;
  readonly commands: number;
  /** What was answered. */
  readonly bytes: number;
}

function sumOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);
}

async function costSoFar(): Promise<Cost & { readonly toldIn: number }> {
  const text = await raw.info('all');
  const scripts = sumOf(text, /^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
  const all = sumOf(text, /^cmdstat_(?!info)[^:]+:calls=(\d+)/gm);
  const bytes = sumOf(text, /^total_net_output_bytes:(\d+)/gm);
  return { scripts, commands: all - scripts, bytes, toldIn: text.length };
}

/** The least of three: what the client sends now and then by itself is no cost of a question. */
async function leastCostOf(task: () => Promise<unknown>): Promise<Cost> {
  const costs = [await costOf(task), await costOf(task), await costOf(task)];
  return {
    scripts: Math.min(...costs.map(({ scripts }) => scripts)),
    commands: Math.min(...costs.map(({ commands }) => commands)),
    bytes: Math.min(...costs.map(({ bytes }) => bytes)),
  };
}

async function costOf(task: () => Promise<unknown>): Promise<Cost> {
  const before = await costSoFar();
  await task();
  const after = await costSoFar();
  return {
    scripts: after.scripts - before.scripts,
    commands: after.commands - before.commands,
    // The answer that told of the time before is in it.
    bytes: after.bytes - before.bytes - before.toldIn,
  };
}

type Asked = Record<string, () => Promise<unknown>>;

/** Everything about a side of a lock that is answered yes or no, or with one number. */
function questionsOn(lock: Lock, hold?: Hold): Asked {
  return {
    isLocked: () => lock.isLocked(),
    remainingLeaseMs: () => lock.remainingLeaseMs(),
    holdCount: async () =>
      hold === undefined ? await lock.holdCount() : await hold.run(() => lock.holdCount()),
  };
}

/** Asks about a small and a big object of one sort: neither costs more than the other. */
async function expectSameCost(small: Asked, big: Asked): Promise<void> {
  const [names, costs] = [Object.keys(small), [] as Cost[][]];
  const questions = Object.values(big);
  for (const [i, ask] of Object.values(small).entries()) {
    // The first call of a script sends its text.
    await ask();
    costs.push([await leastCostOf(ask), await leastCostOf(questions[i]!)]);
  }
  const dearer = names.filter((_, i) => {
    const [few, many] = costs[i]!;
    // A longer number is a few bytes.
    return many!.commands > few!.commands || many!.bytes > few!.bytes + 32;
  });
  expect(dearer).toEqual([]);
  expect(costs.flat().every(({ scripts }) => scripts <= 1)).toBe(true);
}

test.each([['node'], ['java']] as const)(
  'a question about a lock costs the same with a hundred readers in %s as with twenty thousand',
  async (whose) => {
    // No renewal is counted with the questions, however long the readers take to come.
    const client = scope.client({ redis: server.url, leaseMs: LIFE_MS });
    const asked: Asked[][] = [];
    for (const count of [FEW, MANY]) {
      const { name } = await readBy(whose, count);
      const { readLock, writeLock } = client.getReadWriteLock(name);
      const hold = await readLock.acquire();
      asked.push([questionsOn(readLock, hold), questionsOn(writeLock)]);
    }

    // Whoever has held something for a while begins to listen, which is no cost of a question.
    await eventually(async () => (await raw.pubsub('NUMSUB', `redlatch:${client.id}`))[1] === 1);

    const [few, many] = asked;
    await expectSameCost(few![0]!, many![0]!);
    await expectSameCost(few![1]!, many![1]!);
  },
);

test('a question about permits costs the same with a hundred taken as with twenty thousand', async () => {
  const client = scope.client({ redis: server.url });
  const asked: Asked[] = [];
  for (const count of [FEW, MANY]) {
    const semaphore = client.getPermitExpirableSemaphore(scope.name());
    await semaphore.trySetPermits(count);
    const end = Date.now() + LIFE_MS;
    await inBatches(count, (batch, i) => {
      batch.zadd(`{${semaphore.name}}:timeout`, end, randomBytes(12).toString('hex') + i);
    });
    asked.push({
      totalPermits: () => semaphore.totalPermits(),
      availablePermits: () => semaphore.availablePermits(),
      acquiredPermits: () => semaphore.acquiredPermits(),
    });
  }

  await expectSameCost(asked[0]!, asked[1]!);
});

test('holders of a lock with twenty thousand readers are read by many small calls', async () => {
  const view = await readBy('node', MANY);
  const { readLock } = scope.client({ redis: server.url }).getReadWriteLock(view.name);
  let holders: Holder[] = [];

  const { scripts, commands } = await costOf(async () => {
    holders = await readLock.holders();
  });

  const ids = new Set(holders.map(({ holderId }) => holderId));
  expect([holders.length, ids.size]).toEqual([MANY, MANY]);
  expect(scripts).toBeGreaterThan(MANY / 500);
  expect(commands / scripts).toBeLessThan(500);
});

test('readers come and go while holders are read: who stays is listed exactly once', async () => {
  const view = await readBy('node', 5_000);
  const { readLock } = scope.client({ redis: server.url }).getReadWriteLock(view.name);
  const end = (await view.now()) + LIFE_MS;
  const reading = readLock.holders();

  // The hash is laid out anew several times meanwhile.
  await inBatches(40_000, (batch, i) => {
    batch.hset(view.name, other(i), 1).zadd(view.readers, end, other(i));
  });
  const ids = (await reading).map(({ holderId }) => holderId);

  const stayed = ids.filter((id) => !id.startsWith(OTHER));
  expect(stayed.toSorted()).toEqual(
    Array.from({ length: 5_000 }, (_, i) => readerId(i)).toSorted(),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('one reader of Redisson among thousands of dead ones is found by many small calls', async () => {
  const view = await readBy('java', 0);
  const fields = Array.from({ length: 3_000 }, (_, i) => [readerId(i), '1']).flat();
  await raw.hset(view.name, ...fields);
  const { readLock } = scope.client({ redis: server.url }).getReadWriteLock(view.name);
  const dead = [await readLock.isLocked(), await readLock.remainingLeaseMs()];
  await raw.set(view.holdKey(readerId(2_000)), '1', 'PX', 60_000);

  const seen: unknown[] = [];
  const { scripts, commands } = await costOf(async () => {
    seen.push(await readLock.isLocked(), await readLock.holders());
  });
  const leftMs = await readLock.remainingLeaseMs();

  expect(dead).toEqual([false, null]);
  expect(seen).toMatchObject([true, [{ holderId: readerId(2_000), depth: 1 }]]);
  expect(leftMs).toBeGreaterThan(50_000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
  expect(commands / scripts).toBeLessThan(1_000);
  expect(await raw.hlen(view.name)).toBe(3_001);
});

test('of readers in both languages the longest lease is told', async () => {
  const view = new RwView(raw, scope.name());
  const { readLock } = scope.client({ redis: server.url }).getReadWriteLock(view.name);
  await readLock.acquire({ leaseMs: 20_000 });
  await view.javaReads(readerId(1), 40_000);

  const longest = await readLock.remainingLeaseMs();

  expect(longest).toBeGreaterThan(30_000);
  expect(longest).toBeLessThanOrEqual(40_000);
});

test('a question that takes many calls ends in time when the server stops answering', async () => {
  const view = await readBy('node', 5_000);
  const proxy = await startProxy({ target: server.url });
  const client = scope.client({ redis: proxy.url, commandTimeoutMs: 300 });
  const { readLock } = client.getReadWriteLock(view.name);
  // A busy machine may take longer than the time of one call to connect.
  await eventually(async () => await readLock.isLocked());
  // Each of them in time, all of them not.
  proxy.delay({ downMs: 100 });
  const start = performance.now();

  const error = await rejection(readLock.holders());

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(performance.now() - start).toBeGreaterThan(250);
  expect(performance.now() - start).toBeLessThan(1_500);
});

test('a lock with twenty thousand readers is forced free as cheaply as one with some hundreds', async () => {
  const client = scope.client({ redis: server.url });
  const costs: Cost[] = [];
  // The first one sends the text of the script.
  for (const count of [1, TOMBSTONES, MANY]) {
    const { name } = await readBy('java', count);
    const { readLock } = client.getReadWriteLock(name);
    costs.push(await costOf(async () => expect(await readLock.forceRelease()).toBe(true)));
    expect(await readLock.isLocked()).toBe(false);
  }

  const [, few, many] = costs;
  // A scan may answer a few more fields than it is asked for.
  expect(many!.commands).toBeLessThanOrEqual(few!.commands + 50);
  // The hold keys that are left end with their leases.
  await raw.flushall();
});
