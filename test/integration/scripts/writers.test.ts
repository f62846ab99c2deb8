// What a read-write lock answers where a reader, a writer or a forced release comes to a limit.

import { describe, expect, test } from 'vitest';
import { rejection } from '../../contract/fixture.js';
import { messagesOn } from '../../support/messages.js';
import { rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { holderId, LEASE_MS, stage, START } from './rw-scripts.js';

const ENDS_AT = START + LEASE_MS;

describe('a writer', () => {
  test('stands behind a reader that came a microsecond before it, and not behind one of the same', async () => {
    for (const [since, told] of [
      [99, 3_999],
      [100, null],
    ] as const) {
      const { read, write, redis, keys } = stage();
      await write(START, 'first');
      expect(await write(START, 'second', 'queue', 100)).toBeGreaterThan(0);
      await read(START, [{ reader: 'one', since: START * 1_000 + since }], 'queue', 'other');
      await redis.del(keys.lock);

      expect(await write(START + 1, 'second')).toBe(told);
    }
  });

  test('that comes back for its second hold gets none where its first one is gone', async () => {
    const { write } = stage();

    expect(await write(START, 'writer', 'none', 0, 2)).toBe(-2);
    await write(START, 'another');
    expect(await write(START, 'writer', 'none', 0, 2)).toBe(-4);
  });

  test('takes out two hundred fields of readers of Redisson that are gone with one call', async () => {
    for (const [dead, answers] of [
      [199, [null]],
      [200, [0, null]],
    ] as const) {
      const { write, redis, keys } = stage();
      const fields = Array.from({ length: dead }, (_, i) => [holderId(`java ${i}`), '1']).flat();
      await redis.hset(keys.lock, 'mode', 'read', ...fields);

      for (const answer of answers) {
        expect(await write(START)).toBe(answer);
      }
    }
  });
});

describe('a reader', () => {
  test('that is the last living one frees the lock with its release, and says so', async () => {
    const { read, releaseRead, redis, keys, channel } = stage();
    const heard = await messagesOn(channel);
    await read(START, [{ reader: 'one' }, { reader: 'two', leaseMs: 2 * LEASE_MS }]);

    expect(await releaseRead(ENDS_AT, 'two')).toBe(1);
    expect(await redis.exists(keys.lock, keys.readers)).toBe(0);
    await redis.publish(channel, 'end');
    await expect.poll(() => heard).toEqual(['0', 'end']);
  });

  test('gets no place in the queue of a server without memory', async () => {
    const server = await ownServer();
    const { read, write, redis, keys } = stage(rawClient(server.url));
    await write(START);
    await redis.config('SET', 'maxmemory', '1');

    const error = await rejection(read(START, [{ reader: 'one' }], 'queue'));

    await redis.config('SET', 'maxmemory', '0');
    expect(String(error)).toContain('OOM');
    expect(await redis.exists(keys.waiting, keys.heartbeats)).toBe(0);
  });
});

describe('a forced release', () => {
  test('removes the hold keys of a reader with the lock', async () => {
    const { read, force, redis, holdKey } = stage();
    await read(START, [{ reader: 'one' }]);

    expect(await force(START, 'read')).toBe('1');

    expect(await redis.exists(holdKey('one', 1))).toBe(0);
  });

  test('removes five hundred hold keys, and leaves the others to their leases', async () => {
    const { force, redis, keys, holdKey } = stage();
    const readers = Array.from({ length: 6 }, (_, i) => holderId(`java ${i}`));
    await redis.hset(keys.lock, 'mode', 'read', ...readers.flatMap((reader) => [reader, '100']));
    const holds = readers.flatMap((reader) =>
      Array.from({ length: 100 }, (_, i) => holdKey(reader, i + 1)),
    );
    const pipeline = redis.pipeline();
    for (const key of holds) {
      pipeline.set(key, '1', 'PX', LEASE_MS);
    }
    await pipeline.exec();

    expect(await force(START, 'read')).toBe('1');

    expect(await redis.exists(...holds)).toBe(100);
    expect(await redis.exists(keys.lock)).toBe(0);
  });
});
