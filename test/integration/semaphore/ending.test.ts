// Waits that end before they are served: nothing stays behind, and no permit is lost.

import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { keysUnder, redisUrl } from '../../support/redis.js';
import { expectAvailable, listening, scriptsOf } from './world.js';

const { client, name, raw } = fixture('sem-ending', [/^redlatch-test:/]);

test('an abort before anything was sent leaves nothing', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  const abort = new AbortController();

  const caught = rejection(semaphore.acquire(1, { signal: abort.signal }));
  abort.abort(new Error('early'));
  const never = await rejection(semaphore.acquire(1, { signal: abort.signal }));

  expect([await caught, never]).toMatchObject([{ message: 'early' }, { message: 'early' }]);
  expect(scriptsOf(proxy)).toBe(0);
  expect(await keysUnder(semaphore.name, raw)).toEqual([]);
});

test('an aborted wait rejects with its reason, and others keep their places', async () => {
  const semaphore = client().getSemaphore(name());
  const abort = new AbortController();
  const order: string[] = [];
  const first = semaphore.acquire().then(() => order.push('first'));
  const caught = rejection(semaphore.acquire(1, { signal: abort.signal }));
  const last = semaphore.acquire().then(() => order.push('last'));
  await listening(raw, semaphore.name);

  abort.abort('reason');
  await semaphore.release();
  await first;
  await semaphore.release();
  await last;

  expect(await caught).toBe('reason');
  expect(order).toEqual(['first', 'last']);
});

test('L11: a waiter whose time runs out as it is woken passes its permits on', async () => {
  const semaphore = client().getSemaphore(name());
  let served = 0;

  // The head's time runs out at about the instant of the release, before or after it.
  for (let round = 0; round < 20; round += 1) {
    // A server that is busy may not even answer by then.
    const head = semaphore.tryAcquire(1, { waitMs: 20 }).catch(() => null);
    const next = semaphore.acquire();
    await raw.ping();
    await new Promise((resolve) => setTimeout(resolve, 16 + (round % 8)));
    await semaphore.release();
    const permits = await head;
    served += permits === null ? 0 : 1;
    await permits?.release();
    await next;
  }

  expect(served).toBeLessThanOrEqual(20);
  expect(await semaphore.availablePermits()).toBe(0);
});

test('time that runs out is contention once the server has answered', async () => {
  const semaphore = client().getSemaphore(name());

  await semaphore.availablePermits();

  const error = await rejection(semaphore.acquire(2, { waitMs: 300 }));
  const atOnce = await rejection(semaphore.acquire(1, { waitMs: 0 }));
  const tried = await semaphore.tryAcquire(1, { waitMs: 300 });

  expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT', resource: semaphore.name });
  expect(atOnce).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
  expect(tried).toBeNull();
});

test('time that runs out without an answer is told as such', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url, commandTimeoutMs: 100 });
  const semaphore = own.getSemaphore(name());
  proxy.refuse();
  proxy.cutAll();
  const startedAt = performance.now();

  const errors = await Promise.all([
    rejection(semaphore.tryAcquire()),
    rejection(semaphore.tryAcquire(1, { waitMs: 150 })),
    rejection(semaphore.acquire(1, { waitMs: 150 })),
    rejection(semaphore.availablePermits()),
    rejection(semaphore.release()),
  ]);

  expect(errors.map((error) => (error as { code: string }).code)).toEqual(
    Array.from({ length: 5 }, () => 'ERR_COMMAND_TIMEOUT'),
  );
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test('a wait without limit goes on through an outage', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url, commandTimeoutMs: 100 }).getSemaphore(name());
  proxy.refuse();
  proxy.cutAll();
  const waiting = semaphore.acquire();
  await rejection(semaphore.availablePermits());

  await client().getSemaphore(semaphore.name).trySetPermits(1);
  await proxy.accept();

  expect((await waiting).count).toBe(1);
});

test('a thousand aborts at any moment leave the permits as they were', async () => {
  const object = name();
  const clients = [client(), client()];
  const semaphores = clients.map((each) => each.getSemaphore(object));
  await semaphores[0]?.trySetPermits(3);

  await Promise.all(
    semaphores.flatMap((semaphore, side) =>
      Array.from({ length: 50 }, async (_, lane) => {
        for (let round = 0; round < 10; round += 1) {
          const abort = new AbortController();
          const wait = semaphore.acquire(1 + (lane % 3), { signal: abort.signal });
          const turns = (lane * 7 + round * 3 + side) % 12;
          for (let turn = 0; turn < turns; turn += 1) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          abort.abort();
          await wait.then(
            async (permits) => await permits.release(),
            () => undefined,
          );
        }
      }),
    ),
  );

  await eventually(async () => {
    expect(await raw.get(object)).toBe('3');
  });
});

test('closing ends every wait, and permits in hand stay taken', async () => {
  const own = client();
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(2);
  const permits = await semaphore.acquire(2);
  const waits = [1, 2].map(async (count) => await rejection(semaphore.acquire(count)));
  await listening(raw, semaphore.name);

  await own.close();
  const errors = await Promise.all(waits);
  const late = [await rejection(permits.release()), await rejection(semaphore.acquire())];

  for (const error of [...errors, ...late]) {
    expect(error).toMatchObject({ code: 'ERR_CLOSED' });
  }
  expect(await raw.get(semaphore.name)).toBe('0');
});

test('closing gives back what an acquisition under way has got', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(4);
  proxy.pauseDownstream();
  const caught = rejection(semaphore.acquire(3));
  const direct = client().getSemaphore(semaphore.name);
  await expectAvailable(direct, 1);

  const closing = own.close();
  proxy.resumeDownstream();
  await closing;

  expect(await caught).toMatchObject({ code: 'ERR_CLOSED' });
  expect(await direct.availablePermits()).toBe(4);
});

test('closing while a release serves a waiter gives back what the waiter got', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(1);
  const permits = await semaphore.acquire();
  const caught = rejection(semaphore.acquire());
  await listening(raw, semaphore.name);
  await semaphore.availablePermits();
  const scripts = scriptsOf(proxy);
  proxy.pauseDownstream();
  const releasing = permits.release();
  await eventually(() => scriptsOf(proxy) > scripts);

  const closing = own.close();
  proxy.resumeDownstream();
  await Promise.all([closing, releasing]);

  expect(await caught).toMatchObject({ code: 'ERR_CLOSED' });
  expect(await raw.get(semaphore.name)).toBe('1');
});

test('permits whose client is closed are still held, and say so each time they are released', async () => {
  const own = client();
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(1);
  const permits = await semaphore.acquire();
  await own.close();

  const errors = [await rejection(permits.release()), await rejection(permits.release())];

  expect(errors).toMatchObject([{ name: 'ClosedError' }, { name: 'ClosedError' }]);
  expect(errors[0]).not.toBe(errors[1]);
  expect(JSON.parse(JSON.stringify(permits))).toMatchObject({ state: 'held' });
});
