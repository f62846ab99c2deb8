// A reader reads for as long as its lease, and not in the millisecond in which that ends: every script
// says the same. And where the line between clients is drawn, to the microsecond.

import { describe, expect, test } from 'vitest';
import { holderId, LEASE_MS, stage, START } from './rw-scripts.js';

const ENDS_AT = START + LEASE_MS;

/** A list of holders has no order. */
function inOrder(told: unknown): unknown {
  return Array.isArray(told) ? told.map(String).toSorted((a, b) => a.localeCompare(b)) : told;
}

type Scene = ReturnType<typeof stage>;

/** What each script says of a reader that reads, and of one whose lease has ended. */
const answers: [
  what: string,
  ask: (scene: Scene, atMs: number) => Promise<unknown>,
  reads: unknown,
  over: unknown,
][] = [
  ['a poll', ({ renew }, ms) => renew(ms, 'one', 0), '1::1', '0'],
  ['a renewal', ({ renew }, ms) => renew(ms, 'one', LEASE_MS), '1', '0'],
  ['its release', ({ releaseRead }, ms) => releaseRead(ms, 'one'), 1, -2],
  ['its number of holds', ({ holdCount }, ms) => holdCount(ms, 'one'), 1, 0],
  ['the list of holders', ({ inspect }, ms) => inspect(ms), [holderId('one'), '1', '1'], []],
  ['the longest lease', ({ lease }, ms) => lease(ms), '0 1', '0 -2'],
  ['a forced release', ({ force }, ms) => force(ms, 'read'), '1', '0'],
  ['a writer', ({ write }, ms) => write(ms), 1, null],
];

describe('in the last millisecond of its lease, and in the one behind it', () => {
  test.each(answers)('%s tells a reader from one that has ended', async (_, ask, reads, over) => {
    for (const [atMs, told] of [
      [ENDS_AT - 1, reads],
      [ENDS_AT, over],
    ] as const) {
      const scene = stage();
      expect(await scene.read(START, [{ reader: 'one' }])).toEqual(['T']);

      expect(await ask(scene, atMs)).toEqual(told);
    }
  });

  test.each(answers.filter(([what]) => what !== 'a forced release'))(
    '%s tells it also while another reads',
    async (what, ask) => {
      for (const atMs of [ENDS_AT - 1, ENDS_AT]) {
        const scene = stage();
        await scene.read(START, [{ reader: 'one' }, { reader: 'two', leaseMs: 2 * LEASE_MS }]);
        const left = String(LEASE_MS + (ENDS_AT - atMs));
        const isOver = atMs === ENDS_AT;
        const expected: Record<string, unknown> = {
          'a poll': isOver ? '0' : '1::1',
          'a renewal': isOver ? '0' : '1',
          'its release': isOver ? -2 : 0,
          'its number of holds': isOver ? 0 : 1,
          'the list of holders': [
            ...(isOver ? [] : [holderId('one'), '1', '1']),
            holderId('two'),
            '1',
            left,
          ],
          'the longest lease': `0 ${left}`,
          'a writer': Number(left),
        };

        const told = await ask(scene, atMs);

        expect(inOrder(told)).toEqual(inOrder(expected[what]));
      }
    },
  );
});

describe('readers whose lease has ended', () => {
  test('leave the hash and the set of leases, a hundred with each call', async () => {
    const { read, redis, keys } = stage();
    const dead = Array.from({ length: 230 }, (_, i) => ({ reader: `dead-${i}` }));
    await read(START, [...dead, { reader: 'living', leaseMs: 2 * LEASE_MS }]);

    const left: number[][] = [];
    for (let i = 0; i < 4; i += 1) {
      await read(ENDS_AT, [{ reader: 'living', leaseMs: 2 * LEASE_MS }]);
      left.push([(await redis.hlen(keys.lock)) - 1, await redis.zcard(keys.readers)]);
    }

    expect(left).toEqual([
      [131, 131],
      [31, 31],
      [1, 1],
      [1, 1],
    ]);
  });

  test('end with the lock when nobody else reads', async () => {
    const { read, redis, keys, write } = stage();
    await read(START, [{ reader: 'one' }, { reader: 'two' }]);

    expect(await write(ENDS_AT)).toBe(null);

    expect(inOrder(Object.keys(await redis.hgetall(keys.lock)))).toEqual([
      `${holderId('writer')}:write`,
      'mode',
    ]);
    expect(await redis.exists(keys.readers)).toBe(0);
  });
});

describe('a lease', () => {
  test('is renewed to last at least as long as asked for, and never shortened by that', async () => {
    const { read, renew, redis, keys } = stage();
    const endsAt = async () =>
      Math.floor(Number(await redis.zscore(keys.readers, holderId('one')))) - START;
    await read(START, [{ reader: 'one' }]);

    await renew(START + 1, 'one', LEASE_MS - 1);
    expect(await endsAt()).toBe(LEASE_MS);
    await renew(START + 1, 'one', LEASE_MS);
    expect(await endsAt()).toBe(LEASE_MS + 1);
    await read(START + 1, [{ reader: 'one', leaseMs: 10 }]);
    expect(await endsAt()).toBe(LEASE_MS + 1);
  });

  test('of the longest reader is the TTL of the lock, of its leases and of its hold key', async () => {
    const { read, redis, keys, holdKey } = stage();
    await read(START, [{ reader: 'one', leaseMs: 10 * LEASE_MS }]);
    await read(START, [{ reader: 'two', leaseMs: LEASE_MS }]);
    expect(Math.ceil((await redis.pttl(keys.lock)) / LEASE_MS)).toBe(10);
    await read(START, [{ reader: 'three', leaseMs: 20 * LEASE_MS }]);

    for (const key of [keys.lock, keys.readers, holdKey('three', 1)]) {
      expect(Math.ceil((await redis.pttl(key)) / LEASE_MS), key).toBe(20);
    }
    expect(Math.ceil((await redis.pttl(holdKey('two', 1))) / LEASE_MS)).toBe(1);
  });
});

describe('the line between clients', () => {
  test('a reader passes no writer that came a microsecond before it, only one that came after', async () => {
    const { read, write } = stage();
    await read(START, [{ reader: 'first' }]);
    expect(await write(START + 1, 'writer', 'queue', 500)).toBe(LEASE_MS - 1);
    const came = (START + 1) * 1_000 + 500;

    expect(await read(START + 2, [{ reader: 'late', since: came + 1 }])).toEqual(['3999']);
    expect(await read(START + 2, [{ reader: 'same', since: came }])).toEqual(['T']);
    expect(await read(START + 2, [{ reader: 'early', since: came - 1 }])).toEqual(['T']);
  });

  test('a writer that has been silent for four seconds keeps nobody out', async () => {
    const { read, write } = stage();
    await read(START, [{ reader: 'first' }]);
    await write(START, 'writer', 'queue');

    expect(await read(START + 3_999, [{ reader: 'one' }])).toEqual(['1']);
    expect(await read(START + 4_000, [{ reader: 'two' }])).toEqual(['T']);
  });

  test('a writer waits for readers that came before it, as long as their client is heard of', async () => {
    const { read, write, releaseRead } = stage();
    await read(START, [{ reader: 'first' }]);
    await write(START, 'writer', 'queue', 100);
    expect(await read(START, [{ reader: 'behind' }], 'queue', 'other', 101)).toEqual(['4000']);
    await releaseRead(START + 1, 'first');

    expect(await write(START + 1, 'later', 'none')).toBe(3_999);
    expect(await write(START + 3_999, 'later', 'none')).toBe(1);
    expect(await write(START + 4_000, 'later', 'none')).toBe(null);
  });

  test('the entry of a client dates from its first reader, and goes with its last', async () => {
    const { read, write, redis, keys } = stage();
    await write(START);
    const entry = async () => await redis.zscore(keys.waiting, 'me');
    const since = START * 1_000 - 1_000;

    await read(START, [{ reader: 'two', since: since + 20 }], 'queue');
    expect(await entry()).toBe(String(since + 20));
    await read(START, [{ reader: 'one', since: since + 10 }], 'join');
    expect(await entry()).toBe(String(since + 10));
    await read(START, [{ reader: 'two', since: since + 20 }], 'join');
    expect(await entry()).toBe(String(since + 10));
    await read(START, [{ reader: 'two', since: since + 20 }], 'none');
    expect(await entry()).toBe(String(since + 10));
    await read(START, [{ reader: 'two', since: since + 20 }], 'queue');
    expect(await entry()).toBe(String(since + 20));
    await read(START, [], 'queue');
    expect(await entry()).toBe(null);
    expect(await redis.zscore(keys.heartbeats, 'me')).toBe(null);
  });
});

describe('readers that give up together', () => {
  test('leave those that stay, and free the lock with the last of them', async () => {
    const { read, releaseRead, inspect, redis, keys, holdKey } = stage();
    await read(START, [{ reader: 'one' }, { reader: 'two' }, { reader: 'three' }]);

    expect(await releaseRead(START + 1, 'one', ['two', 'absent'])).toBe(0);
    const [left] = (await inspect(START + 1)).map(String);
    expect(left).toBe(holderId('three'));
    expect(await redis.zrange(keys.readers, '0', '-1')).toEqual([left]);
    expect(await redis.exists(holdKey('one', 1), holdKey('two', 1))).toBe(0);

    expect(await releaseRead(START + 2, 'absent', ['three'])).toBe(1);
    expect(await redis.exists(keys.lock, keys.readers, holdKey('three', 1))).toBe(0);
  });

  test('are kept out for good where a copy of their ask may still run', async () => {
    const { read, releaseRead } = stage();
    await read(START, [{ reader: 'one' }]);

    expect(await releaseRead(START, 'one', ['late'], 1_000)).toBe(1);

    expect(await read(START, [{ reader: 'one' }, { reader: 'late' }])).toEqual(['-3', '-3']);
    expect(await releaseRead(START, 'one', ['late'])).toBe(-2);
  });
});
