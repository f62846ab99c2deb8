// A request that is over is gone, with all that the program keeps about it, whatever it began here.

import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { kept } from '../../support/garbage.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { toldOf } from '../../support/told.js';
import { allLasting, leasedKinds } from '../../support/kinds/kinds.js';

const { client, name, raw } = fixture('kept', allLasting);

const storage = new AsyncLocalStorage<object>();

const silent = (): void => undefined;

/** Serves a request, and forgets it. */
async function request(serve: () => Promise<unknown>): Promise<WeakRef<object>> {
  const store = { something: 'large' };
  await storage.run(store, serve);
  return new WeakRef(store);
}

test('a client does not keep the request in which it was made, nor that in which it connected', async () => {
  let made: Client | undefined;

  const refs = [
    await request(async () => {
      made = client();
      made.on('released', silent).off('released', silent);
      await made.getLock(name()).isLocked();
    }),
  ];

  expect(await kept(refs)).toBe(0);
  expect(made?.id).toBeDefined();
});

test('what began to listen, to renew or to look again does not keep the request that made it do so', async () => {
  const [mine, other] = [client(), client()];

  const refs = await Promise.all(
    leasedKinds.map(async (kind) => {
      const object = name();
      const own = await kind.create(mine, object);
      const before = await kind.rival(other, object).acquire();
      const ref = await request(async () => {
        const waiting = own.acquire();
        await eventually(async () => (await toldOf(object, raw)) > 0);
        await before.release();
        await waiting;
      });
      return ref;
    }),
  );

  expect(await kept(refs)).toBe(0);
});

test('a grant does not keep the request that acquired or extended it', async () => {
  const mine = client();
  const grants: unknown[] = [];

  const refs = await Promise.all(
    leasedKinds.map(async (kind) => {
      const object = await kind.create(mine, name());
      return await request(async () => {
        const grant = await object.acquire();
        await grant.extend(60_000);
        grant.signal.addEventListener('abort', () => undefined);
        grants.push(grant);
      });
    }),
  );

  expect(await kept(refs)).toBe(0);
  expect(grants).toHaveLength(refs.length);
});

test('what is cleaned up behind a request during an outage does not keep it', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const mine = client({ redis: proxy.url, commandTimeoutMs: 50 });
  const [lock, semaphore] = [mine.getLock(name()), mine.getSemaphore(name())];
  await semaphore.trySetPermits(2);

  const refs = [
    await request(async () => {
      const [hold, permits] = [await lock.acquire(), await semaphore.acquire()];
      proxy.pauseUpstream();
      await Promise.all([rejection(hold.release()), rejection(permits.release())]);
    }),
    await request(async () => await rejection(semaphore.acquire(1, { waitMs: 50 }))),
    await request(async () => await rejection(lock.acquire({ waitMs: 50 }))),
    await request(async () => await rejection(lock.forceRelease())),
    await request(async () => await rejection(lock.isLocked())),
  ];

  // Connections that do not answer keep what was sent on them until they are given up.
  await eventually(async () => expect(await kept(refs)).toBe(0));
  proxy.resumeUpstream();
  await eventually(async () => !(await lock.isLocked()));
  await semaphore.delete();
});

test('what takes back an ask that was given up does not keep the request that made it', async () => {
  const proxies = await Promise.all(
    leasedKinds.map(async () => await startProxy({ target: redisUrl() })),
  );
  const entrances = await Promise.all(
    leasedKinds.map(async (kind, i) => {
      const mine = client({ redis: proxies[i]!.url });
      const entrance = await kind.create(mine, name());
      await mine.getLock(name()).isLocked();
      return entrance;
    }),
  );

  const refs = await Promise.all(
    entrances.map(async (entrance, i) => {
      proxies[i]!.pauseUpstream();
      return await request(async () => await rejection(entrance.acquire({ waitMs: 20 })));
    }),
  );

  // The driver keeps the request of a command until that is answered, or its connection ends, after 5 s.
  await eventually(async () => expect(await kept(refs)).toBe(0), { withinMs: 15_000 });
  for (const proxy of proxies) {
    proxy.resumeUpstream();
  }
});
