// Who gets in when: first come first served inside one client, as many as fit, and nobody forgotten.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { channelOf, listening, scriptsOf } from './world.js';

const { client, name, raw } = fixture('sem-queue', [/^redlatch-test:/]);

test('S1: requests of 5, 1 and 3 are each served, in order, by releases one by one', async () => {
  const semaphore = client().getSemaphore(name());
  const other = client().getSemaphore(semaphore.name);
  const order: number[] = [];
  const waits = [5, 1, 3].map(async (count) => {
    await semaphore.acquire(count);
    order.push(count);
  });
  await listening(raw, semaphore.name);

  for (let released = 0; released < 9; released += 1) {
    await (released % 2 === 0 ? other : semaphore).release();
  }
  await Promise.all(waits);

  expect(order).toEqual([5, 1, 3]);
  expect(await semaphore.availablePermits()).toBe(0);
});

test('a small request does not pass a big one of its client that came before', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(3);
  const order: string[] = [];

  const big = semaphore.acquire(5).then(() => order.push('big'));
  const small = semaphore.acquire(1).then(() => order.push('small'));
  await listening(raw, semaphore.name);
  const tried = [await semaphore.tryAcquire(), await semaphore.tryAcquire(1, { waitMs: 500 })];
  await semaphore.release(3);
  await Promise.all([big, small]);

  expect(tried).toEqual([null, null]);
  expect(order).toEqual(['big', 'small']);
});

test('when a big request at the head gives up, those behind it that fit get in', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(3);
  const abort = new AbortController();
  const big = semaphore.acquire(5, { signal: abort.signal }).catch(() => 'gone');
  const small = [semaphore.acquire(1), semaphore.acquire(2)];
  await listening(raw, semaphore.name);

  const leftAt = performance.now();
  abort.abort();
  const granted = await Promise.all(small);

  expect(await big).toBe('gone');
  // At once, and not with the next poll.
  expect(performance.now() - leftAt).toBeLessThan(2_500);
  expect(granted.map(({ count }) => count)).toEqual([1, 2]);
});

test('S2, P7: one message lets in as many as fit', async () => {
  const semaphore = client().getSemaphore(name());
  const waits = [1, 1, 1].map(async (count) => await semaphore.acquire(count));
  await listening(raw, semaphore.name);

  await client().getSemaphore(semaphore.name).release(3);

  expect(await Promise.all(waits)).toHaveLength(3);
});

test('S3: a wait finds the permits that came while its subscription was away', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  const wait = semaphore.acquire();
  await listening(raw, semaphore.name);
  proxy.refuse();
  proxy.cutAll();

  await client().getSemaphore(semaphore.name).release();
  await proxy.accept();

  expect((await wait).count).toBe(1);
});

test('S8: a wait that ends leaves no subscription', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.availablePermits();

  const answers = await Promise.all(
    [1, 2, 3].map(async () => await semaphore.tryAcquire(1, { waitMs: 300 })),
  );

  expect(answers).toEqual([null, null, null]);
  await listening(raw, semaphore.name, 0);
});

test('a gate of four lets four in at once, and never a fifth', async () => {
  const object = name();
  const gates = [1, 2, 3].map(() => client().getSemaphore(object));
  await gates[0]?.trySetPermits(4);
  let inside = 0;
  const seen: number[] = [];

  await Promise.all(
    gates.flatMap((gate) =>
      Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 5; round += 1) {
          await gate.using(async () => {
            inside += 1;
            seen.push(inside);
            await raw.ping();
            inside -= 1;
          });
        }
      }),
    ),
  );

  expect(Math.max(...seen)).toBe(4);
  expect(seen).toHaveLength(120);
  expect(await raw.get(object)).toBe('4');
});

test('acquisitions of one moment take one call, and do not wait for each other', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  await semaphore.trySetPermits(50);
  const before = scriptsOf(proxy);

  await Promise.all(Array.from({ length: 50 }, async () => await semaphore.acquire()));

  expect(scriptsOf(proxy) - before).toBeLessThanOrEqual(2);
  expect(await semaphore.availablePermits()).toBe(0);
});

test('three hundred at once are all served, though one call asks for a hundred', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(250);

  const waits = Array.from({ length: 300 }, async () => await semaphore.acquire());
  const first = await Promise.all(waits.slice(0, 250));
  await Promise.all(first.slice(0, 50).map(async (permits) => await permits.release()));
  await Promise.all(waits);

  expect(await semaphore.availablePermits()).toBe(0);
});

test('attempts that do not wait are each answered, whatever they need', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(4);

  const answers = await Promise.all(
    [3, 9, 2, 1, 7].map(async (count) => await semaphore.tryAcquire(count)),
  );

  expect(answers.map((permits) => permits?.count ?? null)).toEqual([3, null, null, 1, null]);
});

test('a hundred waiters send no more than one', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  const abort = new AbortController();
  const waits = Array.from({ length: 100 }, async () => {
    await semaphore.acquire(1, { signal: abort.signal }).catch(() => 'gone');
  });
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();
  const before = scriptsOf(proxy);

  for (let i = 0; i < 5; i += 1) {
    await raw.publish(channelOf(semaphore.name), '1');
  }
  await eventually(() => scriptsOf(proxy) > before);
  const asked = scriptsOf(proxy) - before;
  abort.abort();
  await Promise.all(waits);

  expect(asked).toBeLessThanOrEqual(5);
});

test('three releases in four serve the next waiter of their client in the same call', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  await semaphore.trySetPermits(1);
  let permits = await semaphore.acquire();
  const waits = Array.from({ length: 4 }, async () => await semaphore.acquire());
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();
  const messages = await messagesOn(channelOf(semaphore.name));
  const before = scriptsOf(proxy);

  for (const wait of waits.slice(0, 3)) {
    await permits.release();
    permits = await wait;
  }
  const [calls, told] = [scriptsOf(proxy) - before, messages.length];
  await permits.release();
  await (await waits[3])?.release();

  expect([calls, told]).toEqual([3, 0]);
  // The fourth was open to all, and so was the last one, for which nobody waited.
  await eventually(() => messages.length === 2);
});
