// What a permit-expirable semaphore does where the server has another number than the client was
// told: it can set its own, or refuse.

import { expect, test } from 'vitest';
import { PermitsMismatchError } from '../../../src/index.js';
import type { Client, PermitExpirableSemaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { permitUses } from '../../support/permit-uses.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { configured, lasting, left, scriptsAbout } from './world.js';

const { client, name, raw } = fixture('mismatch', lasting);

function told(
  own: Client,
  id: string,
  count: number,
  onMismatch: 'set' | 'error',
): PermitExpirableSemaphore {
  return own.getPermitExpirableSemaphore(id, { permits: { count, onMismatch } });
}

async function ofThree(): Promise<PermitExpirableSemaphore> {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3);
  return semaphore;
}

async function listening(id: string): Promise<void> {
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
    return listeners === 1;
  });
}

test.each(permitUses)(
  'with error %s is refused, each time until the numbers agree',
  async (_, use) => {
    const theirs = await ofThree();
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const events = configured(own);
    const semaphore = told(own, theirs.name, 5, 'error');

    for (let i = 0; i < 2; i += 1) {
      const error = await rejection(use(semaphore));
      expect(error).toBeInstanceOf(PermitsMismatchError);
      expect(error).toMatchObject({
        code: 'ERR_PERMITS_MISMATCH',
        resource: theirs.name,
        permits: 3,
        wanted: 5,
        message: `"${theirs.name}" has 3 permits, and this object was told 5`,
      });
    }

    expect(scriptsAbout(proxy, theirs.name)).toEqual([
      'expirable-semaphore/configure',
      expect.any(String),
    ]);
    expect([await theirs.availablePermits(), await theirs.acquiredPermits()]).toEqual([3, 0]);
    await theirs.setPermits(5);
    await use(semaphore);
    await theirs.setPermits(9);
    expect(await rejection(use(semaphore))).toMatchObject({ permits: 9 });
    expect(events).toEqual([]);
  },
);

test('with error calls that are made at once are all refused', async () => {
  const theirs = await ofThree();
  const semaphore = told(client(), theirs.name, 5, 'error');

  const errors = await Promise.all([
    rejection(semaphore.tryAcquire()),
    rejection(semaphore.acquire()),
    rejection(semaphore.addPermits(2)),
    rejection(semaphore.acquireMany(3)),
    rejection(semaphore.totalPermits()),
  ]);

  expect(errors.every((error) => error instanceof PermitsMismatchError)).toBe(true);
  expect([await theirs.availablePermits(), await theirs.acquiredPermits()]).toEqual([3, 0]);
});

test('with error the first use makes the semaphore where there is none', async () => {
  const id = name();

  await told(client(), id, 2, 'error').acquire();

  expect(await left(id)).toBe(1);
});

test('with set a first use grows the semaphore, and wakes the waiters of others', async () => {
  const theirs = await ofThree();
  await theirs.acquireMany(3);
  const waiting = theirs.acquire();
  await listening(theirs.name);
  const own = client();
  const events = configured(own);

  const setAt = performance.now();
  expect(await told(own, theirs.name, 5, 'set').totalPermits()).toBe(5);
  await waiting;

  expect(performance.now() - setAt).toBeLessThan(3_000);
  expect(await left(theirs.name)).toBe(1);
  expect(events).toEqual([]);
});

test('with set an acquisition grows the semaphore, takes of it, and leaves the rest to waiters', async () => {
  const theirs = await ofThree();
  await theirs.acquireMany(3);
  const waiting = theirs.acquire();
  await listening(theirs.name);

  const setAt = performance.now();
  const permit = await told(client(), theirs.name, 5, 'set').tryAcquire();
  await waiting;

  expect(permit?.isHeld).toBe(true);
  expect(performance.now() - setAt).toBeLessThan(3_000);
  expect([await left(theirs.name), await theirs.acquiredPermits()]).toEqual([0, 5]);
});

test('with set a first use shrinks the semaphore, and revokes no permit', async () => {
  const theirs = await ofThree();
  const permits = await theirs.acquireMany(3);

  const semaphore = told(client(), theirs.name, 1, 'set');
  expect(await semaphore.tryAcquire()).toBeNull();

  expect(await left(theirs.name)).toBe(-2);
  expect(permits.every(({ isHeld }) => isHeld)).toBe(true);
  await Promise.all(permits.map(async (permit) => await permit.release()));
  expect([await semaphore.availablePermits(), await semaphore.totalPermits()]).toEqual([1, 1]);
});

test('with set the number is set once: what others set later stays', async () => {
  const theirs = await ofThree();
  const semaphore = told(client(), theirs.name, 5, 'set');
  await semaphore.totalPermits();

  await theirs.setPermits(2);

  expect(await semaphore.totalPermits()).toBe(2);
  await told(client(), theirs.name, 4, 'set').addPermits(3);
  expect(await theirs.totalPermits()).toBe(7);
});

test('with set objects with different numbers set each of them once', async () => {
  const theirs = await ofThree();
  const own = client();
  const totals: number[] = [];

  for (let i = 0; i < 3; i += 1) {
    totals.push(await told(own, theirs.name, 5, 'set').totalPermits());
    totals.push(await told(own, theirs.name, 7, 'set').totalPermits());
  }

  expect(totals).toEqual([5, 7, 7, 7, 7, 7]);
});

test('with set the changes that the client makes at once are not undone', async () => {
  const theirs = await ofThree();
  const semaphore = told(client(), theirs.name, 5, 'set');

  await Promise.all([
    semaphore.addPermits(2),
    semaphore.totalPermits(),
    semaphore.addPermits(1),
    semaphore.tryAcquire(),
  ]);

  expect(await semaphore.totalPermits()).toBe(8);
});

test('permits that have expired are not counted twice', async () => {
  const theirs = await ofThree();
  await theirs.acquireMany(2, { leaseMs: 20 });
  await eventually(async () => (await theirs.acquiredPermits()) === 0);
  const own = client();
  const events = configured(own);

  const permit = await own.getPermitExpirableSemaphore(theirs.name, { permits: 3 }).acquire();

  expect(permit.isHeld).toBe(true);
  expect(events).toEqual([]);
  expect(await told(client(), theirs.name, 4, 'set').availablePermits()).toBe(3);
});

test('what an earlier semaphore has left is not counted', async () => {
  const theirs = await ofThree();
  await theirs.acquireMany(2);
  await raw.del(theirs.name);

  const semaphore = told(client(), theirs.name, 4, 'set');

  expect([await semaphore.availablePermits(), await semaphore.acquiredPermits()]).toEqual([4, 0]);
});

test('setPermits first: its own number wins', async () => {
  const theirs = await ofThree();
  const semaphore = told(client(), theirs.name, 5, 'error');

  await semaphore.setPermits(7);

  expect(await semaphore.totalPermits()).toBe(7);
});

test('permits are given back and extended whatever the number is', async () => {
  const theirs = await ofThree();
  const own = client();
  const permit = await own.getPermitExpirableSemaphore(theirs.name).acquire();
  const foreign = await theirs.acquire();
  const semaphore = told(own, theirs.name, 5, 'error');

  expect(await semaphore.updateLease(foreign.id, 60_000)).toBe(true);
  expect(await semaphore.tryRelease(foreign.id)).toBe(true);
  await permit.release();

  expect(await theirs.acquiredPermits()).toBe(0);
});

test('a name that shares its permits with another one is refused, and nothing is set', async () => {
  const theirs = await ofThree();
  const twin = `{${theirs.name}}`;

  const error = await rejection(
    client().getPermitExpirableSemaphore(twin, { permits: 2 }).tryAcquire(),
  );

  expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE' });
  expect(await raw.exists(twin)).toBe(0);
});
