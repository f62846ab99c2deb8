import { describe, expect, test } from 'vitest';
import { createClient, WrongTypeError } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { fixture, rejection } from './fixture.js';

describe('fencing tokens', () => {
  const { client, name, raw } = fixture('fencing', [/^redisson_lock_token:/]);

  test('tokens grow with every grant, whoever gets it and in whatever process', async () => {
    const object = name();
    const locks = [client().getFencedLock(object), client().getFencedLock(object)];
    const tokens: (bigint | undefined)[] = [];

    for (let i = 0; i < 10; i += 1) {
      const hold = await locks[i % 2]?.acquire();
      tokens.push(hold?.fencingToken);
      await hold?.release();
    }

    expect(tokens.every((token) => typeof token === 'bigint')).toBe(true);
    const grown = tokens.slice(1).map((token, i) => (token ?? 0n) > (tokens[i] ?? 0n));
    promised('tokens grow', () => {
      expect(grown).toEqual(Array.from({ length: 9 }, () => true));
    });
  });

  test('a re-entry has the token of the hold around it', async () => {
    const lock = client().getFencedLock(name());

    await using outer = await lock.acquire();
    await using inner = await lock.acquire({ within: outer });

    expect(inner.fencingToken).toBe(outer.fencingToken);
    expect(typeof inner.fencingToken).toBe('bigint');
  });

  test('a re-entry has the token of the hold around it even if the counter is gone', async () => {
    const object = name();
    const lock = client().getFencedLock(object);
    const outer = await lock.acquire();

    await raw.del(`redisson_lock_token:{${object}}`);
    const inner = await lock.acquire({ within: outer });
    await inner.release();
    await outer.release();
    await using next = await lock.acquire();

    expect(inner.fencingToken).toBe(outer.fencingToken);
    expect(next.fencingToken > outer.fencingToken).toBe(true);
  });

  test('the token is the counter that Redisson keeps, and counts on from it', async () => {
    const object = name();
    const lock = client().getFencedLock(object);

    const first = await lock.acquire();
    const counter = await raw.get(`redisson_lock_token:{${object}}`);
    await first.release();
    const java = await raw.incr(`redisson_lock_token:{${object}}`);
    await using second = await lock.acquire();

    expect(counter).toBe(String(first.fencingToken));
    expect(second.fencingToken > BigInt(java)).toBe(true);
  });

  test.each([
    ['2^53 + 1', 2n ** 53n + 1n],
    ['2^62 + 1', 2n ** 62n + 1n],
  ])('a counter at %s counts on exactly', async (_, start) => {
    const object = `a:{${name()}}`;
    const lock = client().getFencedLock(object);
    await raw.set(`redisson_lock_token:${object}`, String(start));

    const tokens: (bigint | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) {
      const hold = await lock.acquire();
      tokens.push(hold.fencingToken);
      await hold.release();
    }

    expect(tokens).toEqual([start + 1n, start + 2n, start + 3n]);
  });

  test.each([
    ['no number', async (key: string) => await raw.set(key, 'many')],
    ['at its end', async (key: string) => await raw.set(key, String(2n ** 63n - 1n))],
    ['no counter at all', async (key: string) => await raw.rpush(key, 'x')],
  ])('a counter that is %s fails the acquisition, and nothing is taken', async (what, spoil) => {
    const object = name();
    const lock = client().getFencedLock(object);
    const counter = `redisson_lock_token:{${object}}`;
    await spoil(counter);

    const error = await rejection(lock.acquire({ waitMs: 5_000 }));
    const tried = await rejection(lock.tryAcquire());
    const taken = await raw.exists(object);
    await raw.del(counter);
    await using hold = await lock.tryAcquire();

    expect(error).toBeInstanceOf(what === 'no counter at all' ? WrongTypeError : Error);
    expect(tried).toBeInstanceOf(Error);
    expect(taken).toBe(0);
    expect(hold).not.toBeNull();
  });

  test('a plain lock has no token', async () => {
    const object = name();
    await using hold = await client().getLock(object).acquire();

    expect(hold.fencingToken).toBeUndefined();
    expect('fencingToken' in hold).toBe(false);
    expect(await raw.exists(`redisson_lock_token:{${object}}`)).toBe(0);
  });

  test('tokens go on growing after everything was flushed', async () => {
    const server = await ownServer();
    const flushing = rawClient(server.url);
    const own = createClient({ redis: server.url });
    const lock = own.getFencedLock('flushed');
    const before = await lock.acquire();
    await before.release();

    await flushing.flushall();
    const after = await lock.acquire();
    await own.close();

    expect(after.fencingToken > before.fencingToken).toBe(true);
  });
});
