// How many may wait for one name in one client.

import { describe, expect, test } from 'vitest';
import { TooManyWaitersError, type Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { titled, type Entrance, type Grant } from '../../support/kinds/kind.js';
import { allKinds, allLasting, exclusiveLocks, lockKinds } from '../../support/kinds/kinds.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX } from '../bad-input/bad-input.js';
import { scriptsOf } from '../semaphore/world.js';

const { client, name } = fixture('max-waiters', allLasting);

const used = (one: Entrance, maxWaiters?: number): Promise<string> =>
  one.using(() => 'in', { maxWaiters });

/** Waits until so many are counted: what comes next finds no room. */
async function counted(one: Entrance, waiters: number): Promise<unknown> {
  return await eventually(async () => {
    const error = await rejection(one.acquire({ waitMs: 20, maxWaiters: waiters }));
    expect(error).toMatchObject({ code: 'ERR_TOO_MANY_WAITERS', waiters });
    return error;
  });
}

describe.each(titled(allKinds))('%s', (_, kind) => {
  /** Somebody of another client is in. */
  async function held(own: Client): Promise<{ one: Entrance; holder: Grant }> {
    const key = name();
    const holder = await (await kind.create(client(), key)).acquire();
    return { one: kind.rival(own, key), holder };
  }

  test('who would be one waiter too many is refused, before anything is sent', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const { one, holder } = await held(client({ redis: proxy.url, maxWaiters: 2 }));
    const waits = [used(one), used(one)];
    const error = await counted(one, 2);
    const before = scriptsOf(proxy);

    const refused = await Promise.all(
      Array.from({ length: 50 }, async () => [
        await rejection(one.acquire()),
        await rejection(used(one)),
        await one.tryAcquire({ waitMs: 5_000 }),
      ]),
    );
    const sent = scriptsOf(proxy) - before;
    await holder.release();

    expect(error).toBeInstanceOf(TooManyWaitersError);
    expect(error).toMatchObject({ resource: one.name, waiters: 2 });
    expect(String(error)).toMatch(/2 .* wait .*maxWaiters.* later/);
    for (const [acquired, using, tried] of refused) {
      expect(acquired).toBeInstanceOf(TooManyWaitersError);
      expect(using).toBeInstanceOf(TooManyWaitersError);
      expect(tried).toBeNull();
    }
    // A re-check may fall into this.
    expect(sent).toBeLessThanOrEqual(3);
    expect(await Promise.all(waits)).toEqual(['in', 'in']);
  });

  test('a call may allow more than its client, or less', async () => {
    const { one, holder } = await held(client({ maxWaiters: 1 }));
    const first = used(one);
    await counted(one, 1);

    const more = used(one, 2);
    const less = await rejection(used(one, 1));
    const most = await rejection(used(one, 2));
    await holder.release();

    expect([less, most]).toMatchObject([{ waiters: 2 }, { waiters: 2 }]);
    expect(await Promise.all([first, more])).toEqual(['in', 'in']);
  });

  test('there is room again when one has left', async () => {
    const { one, holder } = await held(client({ maxWaiters: 2 }));
    const abort = new AbortController();
    const leaving = rejection(one.acquire({ signal: abort.signal }));
    const staying = used(one);
    await counted(one, 2);

    abort.abort('enough');
    const next = used(one);
    await holder.release();

    expect(await leaving).toBe('enough');
    expect(await Promise.all([staying, next])).toEqual(['in', 'in']);
  });

  test('those whose first answer is under way are not counted', async () => {
    const key = name();
    await kind.create(client(), key);
    const one = kind.rival(client({ maxWaiters: 1 }), key);

    const all = await Promise.all(Array.from({ length: 100 }, async () => await used(one)));

    expect(all).toEqual(Array.from({ length: 100 }, () => 'in'));
    expect(await used(one)).toBe('in');
  });

  test('one attempt is none of them', async () => {
    const { one, holder } = await held(client());
    const waiting = used(one);
    await counted(one, 1);

    const tried = await one.tryAcquire({ maxWaiters: 1 });
    await holder.release();

    expect(tried).toBeNull();
    expect(await waiting).toBe('in');
  });
});

describe.each(titled(lockKinds))('%s', (_, kind) => {
  test('a re-entry is never one too many', async () => {
    const key = name();
    const own = client({ maxWaiters: 1 });
    const one = kind.create(own, key);
    const hold = await one.acquire();
    const waiting = used(kind.rival(own, key));
    await counted(kind.rival(own, key), 1);

    const inner = await hold.run(async () => await one.acquire());
    const named = await one.acquire({ within: inner });
    await Promise.all([named.release(), inner.release(), hold.release()]);

    expect(await waiting).toBe('in');
  });
});

test.each(['direct', 'strict'] as const)(
  'with handOff %s those behind a hold of the same client are counted at once',
  async (handOff) => {
    for (const kind of exclusiveLocks) {
      const [own, key] = [client({ handOff }), name()];
      const one = kind.get(own, key);
      const hold = await one.acquire();
      const waiting = used(one);
      await counted(one, 1);

      const errors = await Promise.all(
        Array.from({ length: 5 }, async () => await rejection(used(one, 1))),
      );
      await hold.release();

      expect(new Set(errors.map((error) => error instanceof TooManyWaitersError))).toEqual(
        new Set([true]),
      );
      expect(await waiting).toBe('in');
    }
  },
);

test('readers and writers are counted apart', async () => {
  const [own, key] = [client({ maxWaiters: 1 }), name()];
  const holder = await client().getReadWriteLock(key).writeLock.acquire();
  const { readLock, writeLock } = own.getReadWriteLock(key);
  const reading = used(readLock);
  await counted(readLock, 1);

  const writing = used(writeLock);
  await counted(writeLock, 1);
  await holder.release();

  expect(await Promise.all([reading, writing])).toEqual(['in', 'in']);
});

test('objects of one name are counted together, and names apart', async () => {
  const [own, key] = [client({ maxWaiters: 1 }), name()];
  const holder = await client().getLock(key).acquire();
  const waiting = used(own.getLock(key));
  await counted(own.getLock(key), 1);

  expect(await used(own.getLock(name()))).toBe('in');
  await holder.release();
  expect(await waiting).toBe('in');
});

test('a multi-lock is refused where one of its names has no room, and counts where it waits', async () => {
  const [free, busy] = [name(), name()];
  const own = client({ maxWaiters: 1 });
  const holder = await client().getLock(busy).acquire();
  const both = own.getMultiLock([free, busy]);
  const waiting = used(both);
  await counted(own.getLock(busy), 1);

  const error = await rejection(both.acquire());
  const tried = await both.tryAcquire({ waitMs: 1_000 });
  await holder.release();

  expect(error).toBeInstanceOf(TooManyWaitersError);
  expect(error).toMatchObject({ resource: both.name, waiters: 1 });
  expect(String(error)).toContain(`"${busy}"`);
  expect(tried).toBeNull();
  expect(await waiting).toBe('in');
});

test('a multi-lock that re-enters the name without room gets in', async () => {
  const [outer, other] = [name(), name()];
  const own = client({ maxWaiters: 1 });
  const hold = await own.getLock(outer).acquire();
  const waiting = used(own.getLock(outer));
  await counted(own.getLock(outer), 1);

  const both = await hold.run(async () => await own.getMultiLock([outer, other]).acquire());
  await both.release();
  await hold.release();

  expect(await waiting).toBe('in');
});

describe('no number of waiters', () => {
  test.each(titled(allKinds))('is refused by a %s', async (_, kind) => {
    const one = await kind.create(client(), name());

    for (const bad of badIntegers(1, INT32_MAX)) {
      const options = { maxWaiters: bad.value as number };
      expectInteger(await rejection(one.acquire(options)), 'maxWaiters', [1, INT32_MAX], bad);
      expectInteger(await rejection(one.tryAcquire(options)), 'maxWaiters', [1, INT32_MAX], bad);
    }
  });

  test('is that of a latch', async () => {
    const latch = client().getCountDownLatch(name());

    const error = await rejection(latch.wait({ maxWaiters: 1 } as object));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('maxWaiters: it limits the waits of acquisitions');
  });
});
