// Permits belong to the semaphore they were taken from: one that was set anew under its name, after
// it expired or was deleted, gets none of them.

import { expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { semaphoreRecord } from '../../support/semaphore-record.js';
import { expectAvailable, lastScript, listening, scriptsOf } from './world.js';

const { client, name, raw } = fixture('sem-generations', [/^redlatch-test:/]);

async function expired(semaphore: Semaphore): Promise<void> {
  await eventually(async () => (await raw.exists(semaphore.name)) === 0, { everyMs: 5 });
}

const ends: [string, { ttlMs?: number }, (semaphore: Semaphore) => Promise<unknown>][] = [
  ['expired', { ttlMs: 60 }, expired],
  ['was deleted', {}, async (semaphore) => await semaphore.delete()],
  ['was deleted by Java', {}, async (semaphore) => await raw.del(semaphore.name)],
];

const begins: [string, (semaphore: Semaphore) => Promise<unknown>][] = [
  ['trySetPermits', async (semaphore) => await semaphore.trySetPermits(10)],
  ['addPermits', async (semaphore) => await semaphore.addPermits(10)],
  ['release', async (semaphore) => await semaphore.release(10)],
];

const anew = ends.flatMap(([what, life, end]) =>
  begins.map(([call, begin]) => [what, call, { life, end, begin }] as const),
);

test.each(anew)(
  'permits of a semaphore that %s do not raise the one that %s makes',
  async (_what, _call, { life, end, begin }) => {
    const own = client();
    const semaphore = own.getSemaphore(name());
    const released: string[] = [];
    own.on('released', ({ resource }) => released.push(resource));
    await semaphore.trySetPermits(10, life);
    const permits = await semaphore.acquire(4);
    await end(semaphore);
    await begin(client().getSemaphore(semaphore.name));

    await permits.release();

    expect(await semaphore.availablePermits()).toBe(10);
    expect(released).toEqual([semaphore.name]);
  },
);

test('a semaphore and its record end together, and its deletion is known for a day', async () => {
  const semaphore = client().getSemaphore(name());
  const mark = semaphoreRecord(semaphore.name);

  await semaphore.trySetPermits(10, { ttlMs: 60_000 });
  const [life, lifeOfMark] = await Promise.all([raw.pttl(semaphore.name), raw.pttl(mark)]);
  await semaphore.delete();

  expect(Math.abs(life - lifeOfMark)).toBeLessThan(50);
  expect(await raw.exists(semaphore.name)).toBe(0);
  expect(await raw.hgetall(mark)).toEqual({ deleted: '1' });
  expect(await raw.ttl(mark)).toBeGreaterThan(86_300);
});

test('permits come back to their semaphore whatever else changes its count', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(5);
  const permits = await semaphore.acquire(2);

  await semaphore.addPermits(4);
  const drained = await semaphore.drainPermits();
  await semaphore.release(1);
  const isSet = await semaphore.trySetPermits(9);
  await permits.release();

  expect([drained, isSet]).toEqual([7, false]);
  expect(await semaphore.availablePermits()).toBe(3);
});

test('permits that are gone serve no waiter, and the new ones do', async () => {
  const semaphore = client().getSemaphore(name());
  const direct = client().getSemaphore(semaphore.name);
  await semaphore.trySetPermits(2);
  const permits = await semaphore.acquire(2);
  let isIn = false;
  const waiting = semaphore.acquire(2).then((granted) => {
    isIn = true;
    return granted;
  });
  await listening(raw, semaphore.name);
  await direct.delete();
  await direct.trySetPermits(0);

  await permits.release();
  const before = [isIn, await semaphore.availablePermits()];
  await direct.release(2);
  await (await waiting).release();

  expect(before).toEqual([false, 0]);
  expect(await semaphore.availablePermits()).toBe(2);
});

test('permits that a release has passed on belong to the semaphore of that moment', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(1);
  const first = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await listening(raw, semaphore.name);

  await first.release();
  const passedOn = await waiting;
  await semaphore.delete();
  await semaphore.trySetPermits(3);
  await passedOn.release();

  expect(await semaphore.availablePermits()).toBe(3);
});

test('a release of permits that are gone does not fail for want of room', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(5);
  const permits = await semaphore.acquire(5);
  await semaphore.delete();
  await semaphore.trySetPermits(2_147_483_647);

  await permits.release();

  expect(await semaphore.availablePermits()).toBe(2_147_483_647);
});

test('permits taken before a semaphore was set anew by us are not for it, whoever set it first', async () => {
  const semaphore = client().getSemaphore(name());
  await raw.set(semaphore.name, 5);
  const permits = await semaphore.acquire(2);
  await raw.del(semaphore.name);
  await semaphore.trySetPermits(7);

  await permits.release();

  expect(await semaphore.availablePermits()).toBe(7);
});

/** Its mark is gone while it lives. */
async function unmarked(object: string): Promise<void> {
  const mark = semaphoreRecord(object);
  await eventually(async () => (await raw.exists(mark)) === 0, { everyMs: 5 });
}

type Step = (object: string) => Promise<unknown>;

const lives: [string, Step, Step?][] = [
  ['Java has set it', async (object) => await raw.set(object, 5)],
  [
    'Java has deleted it and set it anew',
    async (object) => {
      await client().getSemaphore(object).trySetPermits(9);
      await raw.multi().del(object).set(object, 5).exec();
    },
  ],
  [
    'Java has made it live longer than it was to, so that its mark is gone before it',
    async (object) => {
      await client().getSemaphore(object).trySetPermits(5, { ttlMs: 60 });
      await raw.persist(object);
    },
    unmarked,
  ],
];

test.each(lives)('no permit is lost while its semaphore lives: %s', async (_, make, then) => {
  const semaphore = client().getSemaphore(name());
  await make(semaphore.name);
  const early = await semaphore.acquire(2);
  await then?.(semaphore.name);
  const late = await semaphore.acquire(3);

  await early.release();
  await late.release();

  expect(await semaphore.availablePermits()).toBe(5);
});

test('an acquisition that was given up gives nothing to the semaphore that was set since', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const direct = client().getSemaphore(name());
  await direct.trySetPermits(5);
  const semaphore = client({ redis: proxy.url }).getSemaphore(direct.name);
  await semaphore.availablePermits();
  const abort = new AbortController();
  proxy.pauseDownstream();
  const caught = rejection(semaphore.acquire(2, { signal: abort.signal }));
  await expectAvailable(direct, 3);
  await direct.delete();
  await direct.trySetPermits(5);
  const before = scriptsOf(proxy);

  abort.abort();
  await caught;
  await eventually(() => scriptsOf(proxy) > before);
  proxy.resumeDownstream();
  await semaphore.availablePermits();

  expect(await direct.availablePermits()).toBe(5);
});

test('a release that is late gives nothing to the semaphore that was set since', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url, commandTimeoutMs: 150 });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(4);
  const permits = await semaphore.acquire(3);
  const direct = client().getSemaphore(semaphore.name);
  await direct.delete();
  await direct.trySetPermits(4);
  const held = proxy.holdRequests((command) => command.includes(semaphore.name));

  const error = await rejection(permits.release());
  held.release();
  await eventually(async () => {
    await semaphore.availablePermits();
    expect(lastScript(proxy)[1]).not.toMatch(/release/);
  });

  expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN' });
  expect(await direct.availablePermits()).toBe(4);
});

test('permits of an earlier semaphore are not those of a grant that the present one has forgotten', async () => {
  const semaphore = client().getSemaphore(name());
  const record = semaphoreRecord(semaphore.name);
  await semaphore.trySetPermits(5);
  const permits = await semaphore.acquire(2);
  await semaphore.delete();
  await semaphore.trySetPermits(5);
  const [id] = ((await raw.hget(record, 'semaphore')) ?? '').split(' ');
  await raw.hset(record, 'semaphore', `${id} 5 0 100 0 0`);

  await permits.release();

  expect(await semaphore.availablePermits()).toBe(5);
});

test('a mark grows, also when the clock of the server has gone back', async () => {
  const semaphore = client().getSemaphore(name());
  const record = semaphoreRecord(semaphore.name);
  await raw.hset(record, { semaphore: '7000000000000000 3 0 0 0 0', grants: '0 0' });
  await raw.pexpire(record, 60_000);

  await semaphore.trySetPermits(3);

  expect(await raw.hget(record, 'semaphore')).toMatch(/^7000000000000001 3 /u);
});
