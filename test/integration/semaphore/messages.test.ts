// Which messages are worth asking after: those that tell of enough permits for who is next.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { channelOf, listening, scriptsOf } from './world.js';

const { client, name, raw } = fixture('sem-messages', [/^redlatch-test:/]);

test('a waiter does not ask for permits that a message says are too few', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const waiter = client({ redis: proxy.url }).getSemaphore(name());
  const other = client().getSemaphore(waiter.name);
  await other.trySetPermits(9);
  const waiting = waiter.acquire(10);
  await listening(raw, waiter.name);
  await waiter.availablePermits();
  const before = scriptsOf(proxy);

  for (let i = 0; i < 100; i += 1) {
    await other.using(() => undefined);
  }
  await waiter.availablePermits();
  const asked = scriptsOf(proxy) - before - 1;
  await other.release();
  await waiting;

  // The re-check, if it fell due.
  expect(asked).toBeLessThanOrEqual(1);
});

test('nor does it when its own client gives back too few', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  await semaphore.trySetPermits(50);
  const held = await Promise.all(Array.from({ length: 40 }, async () => await semaphore.acquire()));
  const waiting = semaphore.acquire(50);
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();
  const before = scriptsOf(proxy);

  for (const permits of held.slice(0, 39)) {
    await permits.release();
  }
  const scripts = scriptsOf(proxy) - before;
  await held[39]?.release();
  await waiting;

  // The releases, and a re-check if it fell due.
  expect(scripts).toBeLessThanOrEqual(40);
});

test.each(['', 'soon', 'x1'])('a message that says no number (%j) is asked after', async (text) => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  const waiting = semaphore.acquire(10);
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();

  await raw.set(semaphore.name, '10');
  await raw.publish(channelOf(semaphore.name), text);
  const startedAt = performance.now();
  await waiting;

  expect(performance.now() - startedAt).toBeLessThan(2_500);
});

test('a message that comes before the answer to an ask counts for whoever is next then', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  const direct = client().getSemaphore(semaphore.name);
  const waits = [semaphore.acquire(2), semaphore.acquire(1)];
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();
  const messages = await messagesOn(channelOf(semaphore.name));
  const [commands] = proxy
    .connections()
    .filter((connection) => connection.commands.some(([word]) => /^eval/i.test(word ?? '')));

  commands?.down.stop('paused');
  await direct.release(2);
  await eventually(async () => (await raw.get(semaphore.name)) === '0');
  await direct.release(1);
  await eventually(() => messages.length === 2);
  const startedAt = performance.now();
  commands?.down.go('paused');
  await Promise.all(waits);

  // Well below the re-check.
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  expect(await raw.get(semaphore.name)).toBe('0');
});

test('two hundred hand-overs inside one client cost little more than their releases', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  await semaphore.trySetPermits(1);
  const before = scriptsOf(proxy);

  await Promise.all(
    Array.from({ length: 200 }, async () => await semaphore.using(() => undefined)),
  );

  expect(scriptsOf(proxy) - before).toBeLessThanOrEqual(300);
});
