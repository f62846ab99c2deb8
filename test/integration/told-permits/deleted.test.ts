// A deletion outlives the number of permits that is stated in code.

import { describe, expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import {
  configured,
  flush,
  isListening,
  kinds,
  lasting,
  left,
  scriptsAbout,
  stated,
  takes,
  type Kind,
} from './world.js';

const { client, name, raw } = fixture('told-deleted', lasting);

const DAY_MS = 86_400_000;

const deletedKey = (kind: Kind, id: string): string =>
  kind.kind === 'semaphore' ? `redlatch_permits:{${id}}` : `redlatch_deleted:{${id}}`;

describe.each(kinds)('$kind', (kind) => {
  test('what was deleted stays so for each client that has stated the number before', async () => {
    const id = name();
    const [one, two] = [await stated(kind, client(), id), await stated(kind, client(), id)];

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
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();

    await takes(kind, client(), id, 3);

    expect(await left(id)).toBe(2);
    await takes(kind, own, id, 5);
    expect(await left(id)).toBe(1);
  });

  test('what was deleted is made by the client that states another number', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();

    await takes(kind, own, id, 3);

    expect(await left(id)).toBe(2);
  });

  test.each(['flush', 'day'])('after a %s a deletion is forgotten', async (end) => {
    const id = name();
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();
    expect(await kind.take(own, id, 5)).toBeNull();
    await (end === 'flush' ? flush(raw, id) : raw.pexpire(deletedKey(kind, id), 0));

    await takes(kind, own, id, 5);

    expect(await left(id)).toBe(4);
  });

  test.each(['trySetPermits', 'addPermits'] as const)(
    '%s makes what was deleted, and the deletion is forgotten',
    async (call) => {
      const id = name();
      const own = await stated(kind, client(), id);
      await kind.get(own, id, 5).delete();
      await kind.get(client(), id)[call](2);
      expect(await left(id)).toBe(2);
      await raw.del(id);

      await takes(kind, own, id, 5);

      expect(await left(id)).toBe(4);
    },
  );

  test('a second deletion finds nothing, and the first one is still known', async () => {
    const id = name();
    const own = await stated(kind, client(), id);

    expect(await kind.get(own, id, 5).delete()).toBe(true);
    expect(await kind.get(own, id, 5).delete()).toBe(false);

    expect(await kind.take(own, id, 5)).toBeNull();
  });

  test('a deletion before Java has set the semaphore again is forgotten', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();
    await raw.set(id, 3);
    await takes(kind, own, id, 5);
    await raw.del(id, `{${id}}:timeout`);

    await takes(kind, own, id, 5);

    expect(await left(id)).toBe(4);
  });

  test('what a client adds while it deletes what was flushed is added to its number', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    const semaphore = kind.get(own, id, 5);
    await flush(raw, id);

    await Promise.all([semaphore.delete(), semaphore.addPermits(1)]);

    expect(await left(id)).toBe(6);
  });

  test('a look at what was deleted records nothing', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();
    const records = await raw.keys(`redlatch_requests:*${id}*`);
    await raw.del(...records);

    expect(await kind.get(own, id, 5).availablePermits()).toBe(0);

    expect(await raw.keys(`redlatch_requests:*${id}*`)).toEqual([]);
  });

  test('waits for what was deleted stand behind the first one, without a call each', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const id = name();
    const own = client({ redis: proxy.url });
    await takes(kind, own, id, 5);
    await kind.get(own, id, 5).delete();
    const waiting = [kind.wait(own, id, undefined, 5)];
    await isListening(raw, id);
    const before = scriptsAbout(proxy, id).length;

    for (let i = 0; i < 50; i += 1) {
      waiting.push(kind.wait(own, id, undefined, 5));
      expect(await kind.take(own, id, 5)).toBeNull();
    }

    expect(scriptsAbout(proxy, id).length - before).toBeLessThan(10);
    await kind.get(own, id, 5).trySetPermits(51);
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

  test('a release without proof makes none of what was deleted but its own permits', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await own.getSemaphore(id, { permits: 5 }).delete();

    await own.getSemaphore(id, { permits: 5 }).release(2);

    expect(await left(id)).toBe(2);
  });
});

describe('permit-expirable-semaphore', () => {
  test('with onMismatch "set" a number that somebody sets after a deletion stays, and is reported', async () => {
    const id = name();
    const own = client();
    const events = configured(own);
    const permits = { count: 5, onMismatch: 'set' } as const;
    const seats = own.getPermitExpirableSemaphore(id, { permits });
    expect(await seats.totalPermits()).toBe(5);
    await seats.delete();
    await client().getPermitExpirableSemaphore(id).trySetPermits(9);

    expect(await seats.tryAcquire()).not.toBeNull();

    expect(await seats.totalPermits()).toBe(9);
    const kind = 'permit-expirable-semaphore';
    expect(events).toEqual([{ resource: id, kind, permits: 9, wanted: 5 }]);
  });

  test('setPermits makes what was deleted, and the deletion is forgotten', async () => {
    const id = name();
    const [, kind] = kinds as [Kind, Kind];
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();
    await client().getPermitExpirableSemaphore(id).setPermits(2);
    await raw.del(id);

    await takes(kind, own, id, 5);

    expect(await left(id)).toBe(4);
  });
});
