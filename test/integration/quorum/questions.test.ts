// Questions about a lock of a quorum while a server is not connected.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { LEASE_MS, quorumOfFile, startQuorum } from '../../support/quorum.js';

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

/** The second server has the lock for somebody whose attempt has failed; the others have it free. */
async function onlySecondHas(): Promise<Omit<Awaited<ReturnType<typeof halfSeen>>, 'hold'>> {
  const { third, hold, lock } = await halfSeen();
  await hold.release();
  await stage.raw(1).hset(lock.name, hold.holderId, 1);
  await stage.raw(1).pexpire(lock.name, 60_000);
  return { third, lock };
}

test('who holds it is not known before the deciding server has answered', async () => {
  const { third, hold, lock } = await halfSeen();

  const [holders, leaseMs] = [lock.holders(), lock.remainingLeaseMs()];
  await third.accept();

  expect(await holders).toMatchObject([{ holderId: hold.holderId }]);
  expect(await leaseMs).toBeGreaterThan(0);
  await hold.release();
  await stage.expectNothingLeft();
});

test('whether it is free is not known before the deciding server has answered', async () => {
  const { third, lock } = await onlySecondHas();

  const locked = lock.isLocked();
  await third.accept();

  expect(await locked).toBe(false);
  await stage.raw(1).del(lock.name);
  await stage.expectNothingLeft();
});

test('a forced release reports no lock that a minority had, before the deciding server has answered', async () => {
  const { third, lock } = await onlySecondHas();

  const freed = lock.forceRelease();
  await third.accept();

  expect(await freed).toBe(false);
  expect(await stage.holders(lock.name)).toEqual([[], [], []]);
  await stage.expectNothingLeft();
});

test('a forced release that a server refuses waits for the deciding server', async () => {
  await using five = await startQuorum('forced-by-five', LEASE_MS, 5);
  const last = await startProxy({ target: five.urls[4]! });
  await five.connected();
  last.refuse();
  const other = five.client({ servers: [...five.urls.slice(0, 4), last.url] });
  const lock = other.getLock(five.name());
  await other.getLock(five.name()).isLocked();
  await five.raw(0).hset(lock.name, `${randomUUID()}:1`, 1);
  await five.raw(0).pexpire(lock.name, 60_000);
  await five.raw(3).config('SET', 'min-replicas-to-write', '1');

  const freed = lock.forceRelease();
  await eventually(async () => (await five.raw(0).exists(lock.name)) === 0);
  await last.accept();

  // One had it, and one may have had it: no majority, as the last one has it free.
  expect(await freed).toBe(false);
  await five.raw(3).config('SET', 'min-replicas-to-write', '0');
  await five.expectNothingLeft();
});

test('a forced release waits for each server to which it was sent', async () => {
  const third = await startProxy({ target: stage.urls[2]! });
  const servers = [stage.urls[0]!, stage.urls[1]!, third.url];
  const serverTimeoutMs = 50;
  const other = await stage.connected({ servers, serverTimeoutMs });
  const lock = other.getLock(stage.name());
  const ended: string[] = [];
  third.pauseDownstream();

  const freed = lock.forceRelease().finally(() => ended.push('the forced release'));
  await delay(4 * serverTimeoutMs);
  ended.push('the pause');
  third.resumeDownstream();

  expect(await freed).toBe(false);
  expect(ended).toEqual(['the pause', 'the forced release']);
  await stage.expectNothingLeft();
});

test('servers that connect before they vote get a question once they do', async () => {
  await using young = await startQuorum('quorum-young', 1_500);
  const lock = young.client({ commandTimeoutMs: 10_000 }).getLock(young.name());

  expect(await lock.isLocked()).toBe(false);
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
