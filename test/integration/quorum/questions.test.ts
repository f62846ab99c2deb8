// Questions about a lock of a quorum while a server is not connected.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startProxy } from '../../support/proxy.js';
import { LEASE_MS, quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-questions');

/** A lock that only the second and the third server have, and a client that is not connected to the third. */
async function halfSeen() {
  const third = await startProxy({ target: stage.urls[2]! });
  third.refuse();
  const client = await stage.connected();
  const other = stage.client({ servers: [stage.urls[0]!, stage.urls[1]!, third.url] });
  const name = stage.name();
  const hold = await client.getLock(name).acquire();
  await stage.raw(0).del(name);
  // Two servers say that this one is free: they are connected.
  await other.getLock(stage.name()).isLocked();
  return { third, hold, lock: other.getLock(name) };
}

test('who holds it is not known before the server has answered that decides', async () => {
  const { third, hold, lock } = await halfSeen();

  const [holders, leaseMs] = [lock.holders(), lock.remainingLeaseMs()];
  await third.accept();

  expect(await holders).toMatchObject([{ holderId: hold.holderId }]);
  expect(await leaseMs).toBeGreaterThan(0);
  await hold.release();
  await stage.expectNothingLeft();
});

test('whether it is free is not known before the server has answered that decides', async () => {
  const { third, hold, lock } = await halfSeen();
  await hold.release();
  // Left by an attempt that has failed: the other two are free.
  await stage.raw(1).hset(lock.name, hold.holderId, 1);
  await stage.raw(1).pexpire(lock.name, 60_000);

  const locked = lock.isLocked();
  await third.accept();

  expect(await locked).toBe(false);
  await stage.raw(1).del(lock.name);
  await stage.expectNothingLeft();
});

test('a forced release reports no lock that a minority had, before the server has answered that decides', async () => {
  const { third, hold, lock } = await halfSeen();
  await hold.release();
  // Left by an attempt that has failed.
  await stage.raw(1).hset(lock.name, hold.holderId, 1);
  await stage.raw(1).pexpire(lock.name, 60_000);

  const freed = lock.forceRelease();
  await third.accept();

  expect(await freed).toBe(false);
  expect(await stage.holders(lock.name)).toEqual([[], [], []]);
  await stage.expectNothingLeft();
});

test('servers that take long to connect are waited for like others', async () => {
  const serverTimeoutMs = 1_000;
  const proxies = await Promise.all(stage.urls.map((target) => startProxy({ target })));
  proxies.forEach((proxy) => proxy.refuse());
  const client = await stage.connected();
  const other = stage.client({ servers: proxies.map(({ url }) => url), serverTimeoutMs });
  const name = stage.name();
  const hold = await client.getLock(name).acquire();
  await stage.raw(0).del(name);

  const holders = other.getLock(name).holders();
  await delay(1.1 * serverTimeoutMs);
  for (const proxy of proxies) {
    await proxy.accept();
  }

  expect(await holders).toMatchObject([{ holderId: hold.holderId }]);
  await hold.release();
  await stage.expectNothingLeft();
});

test('where no answer can change it, it is known at once', async () => {
  const { lock, hold } = await halfSeen();
  await hold.release();
  const startedAt = performance.now();

  await expect(lock.isLocked()).resolves.toBe(false);
  await expect(lock.holders()).resolves.toEqual([]);

  // An answer that is missing is waited for as long as a lease here.
  expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
  await stage.expectNothingLeft();
});
