import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { messagesOn } from '../support/messages.js';
import { channelsUnder, keysUnder } from '../support/redis.js';
import { fixture, fixtureOf, isRecord } from './fixture.js';
import { FOREIGNER, type ExclusiveLock } from '../support/kinds/kind.js';
import { exclusiveLocks } from '../support/kinds/kinds.js';

/** Everything published so far has arrived. */
async function flushed(raw: Redis, channel: string, messages: string[]): Promise<string[]> {
  await raw.publish(channel, 'end');
  await eventually(() => messages.at(-1) === 'end');
  return messages.splice(0).slice(0, -1);
}

function wireSuite(kind: ExclusiveLock): void {
  describe(`wire: ${kind.what}`, () => {
    const { client, name, raw } = fixtureOf('wire', kind);

    test.each([
      ['plain', (base: string) => base],
      ['tagged', (base: string) => `a:{${base}}:b`],
    ])('a %s name is a hash of the holder and its count, and nothing else', async (_, form) => {
      const object = form(name());
      const lock = kind.create(client(), object);

      const outer = await lock.acquire({ leaseMs: 60_000 });
      const inner = await lock.acquire({ within: outer });
      const during = await raw.hgetall(object);
      const [type, ttlMs, keys] = await Promise.all([
        raw.type(object),
        raw.pttl(object),
        keysUnder(object, raw),
      ]);
      await inner.release();
      const between = await raw.hgetall(object);
      await outer.release();

      expect([type, during, between]).toEqual([
        'hash',
        kind.hash(outer.holderId, 2),
        kind.hash(outer.holderId, 1),
      ]);
      expect(ttlMs).toBeGreaterThan(50_000);
      expect(ttlMs).toBeLessThanOrEqual(60_000);
      const stays = (key: string): boolean => kind.lasting.some((rule) => rule.test(key));
      expect(keys.filter((key) => !stays(key) && !isRecord(key))).toEqual([object]);
      expect(await raw.exists(object)).toBe(0);
    });

    test('an unnamed lease is the one of the client', async () => {
      const object = name();
      await using hold = await kind.create(client({ leaseMs: 7_000 }), object).acquire();

      const ttlMs = await raw.pttl(object);

      expect(hold.isHeld).toBe(true);
      expect(ttlMs).toBeGreaterThan(3_000);
      expect(ttlMs).toBeLessThanOrEqual(7_000);
    });

    test('a short lease that ran out does not stick to the lock', async () => {
      const object = name();
      const lock = kind.create(client({ leaseMs: 7_000 }), object);
      const short = await lock.acquire({ leaseMs: 150 });
      await eventually(async () => (await raw.exists(object)) === 0);

      await using hold = await lock.acquire();

      const ttlMs = await raw.pttl(object);
      expect([short.isHeld, hold.isHeld]).toEqual([false, true]);
      expect(ttlMs).toBeGreaterThan(3_000);
      expect(ttlMs).toBeLessThanOrEqual(7_000);
    });

    test.each([
      ['plain', (base: string) => base],
      ['tagged', (base: string) => `{${base}}b`],
    ])(
      'a %s lock that nobody waits for tells when it becomes free, and nothing before',
      async (_, form) => {
        const object = form(name());
        const lock = kind.create(client(), object);
        const channel = kind.channel(object);
        const messages = await messagesOn(channel);
        const told: string[][] = [];

        const outer = await lock.acquire();
        const inner = await lock.acquire({ within: outer });
        await outer.extend(50_000);
        await inner.release();
        told.push(await flushed(raw, channel, messages));
        await outer.release();
        told.push(await flushed(raw, channel, messages));
        await lock.acquire();
        await lock.forceRelease();
        told.push(await flushed(raw, channel, messages));
        await lock.forceRelease();
        told.push(await flushed(raw, channel, messages));

        expect(told).toEqual([[], kind.freed, kind.freed, []]);
      },
    );

    test('a waiter behind Java listens on the channel of Redisson, and on no other', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      await kind.usurp(object, FOREIGNER, 60_000);

      const waiting = lock.acquire();
      const channels = await eventually(async () => {
        const found = await channelsUnder(object, raw);
        return found.length > 0 && found;
      });
      await kind.vacate(object);
      await using next = await waiting;

      const own = kind.id === 'fair-lock' ? `:${next.holderId}` : '';
      expect(channels).toEqual([`${kind.channel(object)}${own}`]);
    });

    test('a Java holder keeps us out, and its unlock lets us in', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      await kind.usurp(object, FOREIGNER, 60_000);

      const during = await lock.tryAcquire();
      const holders = await lock.holders();
      const waiting = lock.acquire({ waitMs: 20_000 });
      await eventually(async () => await kind.isAwaited(object));
      await kind.vacate(object);
      const hold = await waiting;

      expect(during).toBeNull();
      expect(holders).toMatchObject([{ holderId: FOREIGNER, depth: 1 }]);
      expect(hold.isHeld).toBe(true);
      expect(await raw.hgetall(object)).toEqual(kind.hash(hold.holderId, 1));
      await hold.release();
    });

    test('a Java holder that dies lets us in with its lease', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      await kind.usurp(object, FOREIGNER, 400);

      await using hold = await lock.acquire({ waitMs: 20_000 });

      expect(hold.isHeld).toBe(true);
    });

    test('a foreign holder without a lease keeps us out until it is gone', async () => {
      const object = name();
      const lock = kind.create(client(), object);
      await raw.hset(object, kind.hash(FOREIGNER, 3));

      const [during, remainingMs, holders] = await Promise.all([
        lock.tryAcquire({ waitMs: 500 }),
        lock.remainingLeaseMs(),
        lock.holders(),
      ]);
      const waiting = lock.acquire({ waitMs: 20_000 });
      await eventually(async () => await kind.isAwaited(object));
      await kind.vacate(object);

      expect([during, remainingMs]).toEqual([null, Infinity]);
      expect(holders).toEqual([{ holderId: FOREIGNER, depth: 3, remainingMs: Infinity }]);
      await (await waiting).release();
    });
  });
}

for (const kind of exclusiveLocks) {
  wireSuite(kind);
}

describe('wire: without a message', () => {
  const { client, name, raw } = fixture(
    'unsaid',
    exclusiveLocks.flatMap((kind) => kind.lasting),
  );

  test('a lock whose holder vanished silently is found free within the re-check', async () => {
    const own = client();
    const waits = exclusiveLocks.map(async (kind) => {
      const object = name();
      await raw.hset(object, kind.hash(FOREIGNER, 1));
      const waiting = kind.create(own, object).acquire({ waitMs: 20_000 });
      await eventually(async () => await kind.isAwaited(object));

      await raw.del(object);

      await using hold = await waiting;
      return hold.depth;
    });

    expect(await Promise.all(waits)).toEqual(exclusiveLocks.map(() => 1));
  });
});
