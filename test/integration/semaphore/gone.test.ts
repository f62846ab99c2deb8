// Permits that come back when their semaphore is gone: they make no new one, which nobody has set.

import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { expectAvailable, lastScript, listening, scriptsOf } from './world.js';

const { client, name, raw } = fixture('sem-gone', [/^redlatch-test:/]);

test('permits released after the life of their semaphore do not make it anew', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(100, { ttlMs: 200 });
  const permits = await semaphore.acquire();
  await eventually(async () => (await raw.exists(semaphore.name)) === 0);

  await permits.release();
  const exists = await raw.exists(semaphore.name);
  const isSet = await semaphore.trySetPermits(100, { ttlMs: 60_000 });

  expect([exists, isSet]).toEqual([0, true]);
  expect(await semaphore.availablePermits()).toBe(100);
});

test('permits released with a waiter of their client behind them do not make it anew', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(1);
  const permits = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await listening(raw, semaphore.name);
  await semaphore.delete();

  await permits.release();
  const exists = await raw.exists(semaphore.name);
  await semaphore.trySetPermits(5);
  await waiting;

  expect(exists).toBe(0);
  expect(await semaphore.availablePermits()).toBe(4);
});

test('Semaphore.release makes a semaphore that is not there, as in Java', async () => {
  const semaphore = client().getSemaphore(name());

  await semaphore.release(3);

  expect(await raw.get(semaphore.name)).toBe('3');
});

test('an aborted acquisition gives nothing back to a semaphore that was deleted', async () => {
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
  const before = scriptsOf(proxy);

  abort.abort();
  await caught;
  await eventually(() => scriptsOf(proxy) > before);
  proxy.resumeDownstream();
  await semaphore.availablePermits();

  expect(await raw.exists(direct.name)).toBe(0);
  expect(await direct.tryAcquire()).toBeNull();
});

test('a release of permits that is late makes no semaphore', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url, commandTimeoutMs: 150 });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(4);
  const permits = await semaphore.acquire(3);
  await client().getSemaphore(semaphore.name).delete();
  const held = proxy.holdRequests((command) => command.includes(semaphore.name));

  const error = await rejection(permits.release());
  held.release();
  await eventually(async () => {
    await semaphore.availablePermits();
    expect(lastScript(proxy)[1]).not.toMatch(/release/);
  });

  expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN' });
  expect(await raw.exists(semaphore.name)).toBe(0);
});
