// A number of permits that is stated in code outlives a flush, and a deletion outlives the statement.

import { describe, expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { configured, kinds, lasting, left, scriptsAbout, takes, type Kind } from './world.js';

const { client, name, raw } = fixture('told-flushed', lasting);

const DAY_MS = 86_400_000;

/** All keys of a name are gone, as after a flush or a restart without data. */
async function flush(id: string): Promise<void> {
  const keys = await raw.keys(`*${id}*`);
  await raw.del(...keys);
}

async function isListening(id: string): Promise<void> {
  await eventually(async () => {
    const [, listeners] = (await raw.pubsub('NUMSUB', `redisson_sc:{${id}}`)) as [string, number];
    return listeners === 1;
  });
}

/** A client that has stated five permits, and has used them. */
async function stated(kind: Kind, id: string) {
  const own = client();
  await (
    await takes(kind, own, id, 5)
  )();
  return own;
}

const deletedKey = (kind: Kind, id: string): string =>
  kind.kind === 'semaphore' ? `redlatch_permits:{${id}}` : `redlatch_deleted:{${id}}`;

describe.each(kinds)('$kind', (kind) => {
  test('a single attempt makes what was flushed', async () => {
    const id = name();
    const own = await stated(kind, id);
    await flush(id);

    await takes(kind, own, id);

    expect(await left(id)).toBe(4);
  });

  test('a wait makes what was flushed, and is served at once', async () => {
    const id = name();
    const own = await stated(kind, id);
    await flush(id);

    await kind.wait(own, id);

    expect(await left(id)).toBe(4);
  });

  test('a wait that was there before the flush is served when it is made again', async () => {
    const id = name();
    const own = await stated(kind, id);
    for (let i = 0; i < 5; i += 1) {
      await takes(kind, own, id);
    }
    const waiting = kind.wait(own, id);
    await isListening(id);
    await flush(id);

    expect(await kind.get(own, id).availablePermits()).toBe(5);
    await waiting;

    expect(await left(id)).toBe(4);
  });

  // It takes up to five seconds: nothing else tells a waiter of a flush.
  test('a wait that was there before the flush makes it again by itself', async () => {
    const id = name();
    const own = await stated(kind, id);
    for (let i = 0; i < 5; i += 1) {
      await takes(kind, own, id);
    }
    const waiting = kind.wait(own, id);
    await isListening(id);
    await flush(id);
    const flushedAt = performance.now();

    await waiting;

    expect(performance.now() - flushedAt).toBeLessThan(8_000);
    expect(await left(id)).toBe(4);
  });

  test('a look makes what was flushed', async () => {
    const id = name();
    const own = await stated(kind, id);
    await flush(id);

    expect(await kind.get(own, id).availablePermits()).toBe(5);

    expect(await left(id)).toBe(5);
  });

  test('permits are added to what was flushed', async () => {
    const id = name();
    const own = await stated(kind, id);
    await flush(id);

    await kind.get(own, id).addPermits(1);

    expect(await left(id)).toBe(6);
  });

  test('what Java has deleted is made again', async () => {
    const id = name();
    const own = await stated(kind, id);
    await raw.del(id, `{${id}}:timeout`);

    await takes(kind, own, id);

    expect(await left(id)).toBe(4);
  });

  test('what ended by its ttlMs is made again, without one', async () => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();
    await kind.get(own, id).trySetPermits(2, { ttlMs: 60 });
    await eventually(async () => (await raw.exists(id)) === 0);

    await takes(kind, own, id);

    expect([await left(id), await raw.pttl(id)]).toEqual([4, -1]);
  });

  test('a client without a number makes nothing', async () => {
    const id = name();
    await stated(kind, id);
    await flush(id);

    expect(await kind.take(client(), id)).toBeNull();

    expect(await left(id)).toBeNull();
  });

  test('what was deleted stays so for each client that has stated the number before', async () => {
    const id = name();
    const [one, two] = [await stated(kind, id), await stated(kind, id)];

    expect(await kind.get(two, id).delete()).toBe(true);

    for (const own of [one, two]) {
      expect(await kind.take(own, id, 5)).toBeNull();
      expect(await kind.get(own, id, 5).availablePermits()).toBe(0);
    }
    expect(await left(id)).toBeNull();
    const ttl = await raw.pttl(deletedKey(kind, id));
    expect(ttl).toBeGreaterThan(DAY_MS - 60_000);
    expect(ttl).toBeLessThanOrEqual(DAY_MS);
  });

  test('what was deleted is made by a client that states a number for the first time', async () => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();

    await takes(kind, client(), id, 3);

    expect(await left(id)).toBe(2);
    await takes(kind, own, id);
    expect(await left(id)).toBe(1);
  });

  test('what was deleted is made by the client that states another number', async () => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();

    await takes(kind, own, id, 3);

    expect(await left(id)).toBe(2);
  });

  test.each(['flush', 'day'])('after a %s a deletion is forgotten', async (end) => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();
    expect(await kind.take(own, id)).toBeNull();
    await (end === 'flush' ? flush(id) : raw.pexpire(deletedKey(kind, id), 0));

    await takes(kind, own, id);

    expect(await left(id)).toBe(4);
  });

  test.each(['trySetPermits', 'addPermits'] as const)(
    '%s makes what was deleted, and the deletion is forgotten',
    async (call) => {
      const id = name();
      const own = await stated(kind, id);
      await kind.get(own, id).delete();
      await kind.get(client(), id)[call](2);
      expect(await left(id)).toBe(2);
      await raw.del(id);

      await takes(kind, own, id);

      expect(await left(id)).toBe(4);
    },
  );

  test('a second deletion finds nothing, and the first one is still known', async () => {
    const id = name();
    const own = await stated(kind, id);

    expect(await kind.get(own, id).delete()).toBe(true);
    expect(await kind.get(own, id).delete()).toBe(false);

    expect(await kind.take(own, id)).toBeNull();
  });

  test('a deletion before Java has set the semaphore again is forgotten', async () => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();
    await raw.set(id, 3);
    await takes(kind, own, id);
    await raw.del(id, `{${id}}:timeout`);

    await takes(kind, own, id);

    expect(await left(id)).toBe(4);
  });

  test('what a client adds while it deletes what was flushed is added to its number', async () => {
    const id = name();
    const own = await stated(kind, id);
    const semaphore = kind.get(own, id);
    await flush(id);

    await Promise.all([semaphore.delete(), semaphore.addPermits(1)]);

    expect(await left(id)).toBe(6);
  });

  test('a look at what was deleted records nothing', async () => {
    const id = name();
    const own = await stated(kind, id);
    await kind.get(own, id).delete();
    const records = await raw.keys(`redlatch_requests:*${id}*`);
    await raw.del(...records);

    expect(await kind.get(own, id).availablePermits()).toBe(0);

    expect(await raw.keys(`redlatch_requests:*${id}*`)).toEqual([]);
  });

  test('waits for what was deleted stand behind the first one, without a call each', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const id = name();
    const own = client({ redis: proxy.url });
    await takes(kind, own, id, 5);
    await kind.get(own, id).delete();
    const waiting = [kind.wait(own, id)];
    await isListening(id);
    const before = scriptsAbout(proxy, id).length;

    for (let i = 0; i < 50; i += 1) {
      waiting.push(kind.wait(own, id));
      expect(await kind.take(own, id)).toBeNull();
    }

    expect(scriptsAbout(proxy, id).length - before).toBeLessThan(10);
    await kind.get(own, id).trySetPermits(51);
    await Promise.all(waiting);
  });

  test('of what never was there a deletion leaves no mark', async () => {
    const id = name();

    expect(await kind.get(client(), id).delete()).toBe(false);

    expect(await raw.exists(deletedKey(kind, id))).toBe(0);
  });
});

describe('semaphore', () => {
  const [kind] = kinds as [Kind];
  const bare: [string, (semaphore: Semaphore) => Promise<unknown>, number][] = [
    ['a release without proof', async (semaphore) => await semaphore.release(), 5],
    ['drainPermits', async (semaphore) => await semaphore.drainPermits(), 0],
  ];

  test.each(bare)('%s makes what was flushed', async (_what, call, after) => {
    const id = name();
    const own = await stated(kind, id);
    await flush(id);

    await call(own.getSemaphore(id));

    expect(await left(id)).toBe(after);
  });

  test('a release without proof makes none of what was deleted but its own permits', async () => {
    const id = name();
    const own = await stated(kind, id);
    await own.getSemaphore(id).delete();

    await own.getSemaphore(id).release(2);

    expect(await left(id)).toBe(2);
  });

  test('a number that somebody else has set since is reported once', async () => {
    const id = name();
    const own = await stated(kind, id);
    const events = configured(own);
    await flush(id);
    expect(await kind.take(client(), id)).toBeNull();
    await kind.get(client(), id).addPermits(1);

    await (
      await takes(kind, own, id)
    )();
    await kind.get(own, id).availablePermits();
    await (
      await takes(kind, own, id)
    )();
    await kind.get(own, id).availablePermits();

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 1, wanted: 5 }]);
  });

  test('a number that Java has set since is reported once, and the stated one is not', async () => {
    const id = name();
    const own = await stated(kind, id);
    const events = configured(own);
    await flush(id);
    await raw.set(id, 5);
    await takes(kind, own, id);
    expect(events).toEqual([]);
    await flush(id);
    await takes(kind, own, id);
    await flush(id);
    await raw.set(id, 9);

    for (let i = 0; i < 3; i += 1) {
      await takes(kind, own, id);
    }

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 9, wanted: 5 }]);
  });

  test('permits that come back without proof after a flush are reported once', async () => {
    const id = name();
    const own = await stated(kind, id);
    await own.getSemaphore(id).acquire(5);
    const events = configured(own);
    await flush(id);

    for (let i = 0; i < 5; i += 1) {
      await own.getSemaphore(id).release();
    }

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 6, wanted: 5 }]);
    expect(await left(id)).toBe(5);
  });

  test('a release that finds the semaphore gone lets a waiter make it again', async () => {
    const id = name();
    const own = await stated(kind, id);
    const permits = await own.getSemaphore(id).acquire(5);
    const waiting = own.getSemaphore(id).acquire();
    await isListening(id);
    await flush(id);
    const releasedAt = performance.now();

    await permits.release();
    await waiting;

    // By itself it would look within five seconds.
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
    expect(await left(id)).toBe(4);
  });
});

describe('permit-expirable-semaphore', () => {
  test('with onMismatch "set" a number that somebody sets after a deletion is put right', async () => {
    const id = name();
    const own = client();
    const permits = { count: 5, onMismatch: 'set' } as const;
    const seats = own.getPermitExpirableSemaphore(id, { permits });
    expect(await seats.totalPermits()).toBe(5);
    await seats.delete();
    await client().getPermitExpirableSemaphore(id).trySetPermits(9);

    expect(await seats.tryAcquire()).not.toBeNull();

    expect(await seats.totalPermits()).toBe(5);
  });

  test('setPermits makes what was deleted, and the deletion is forgotten', async () => {
    const id = name();
    const [, kind] = kinds as [Kind, Kind];
    const own = await stated(kind, id);
    await kind.get(own, id).delete();
    await client().getPermitExpirableSemaphore(id).setPermits(2);
    await raw.del(id);

    await takes(kind, own, id);

    expect(await left(id)).toBe(4);
  });
});
