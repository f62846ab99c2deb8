// Time in the simulated server, which a test can move at will.

import { beforeEach, expect, test } from 'vitest';
import { Random } from '../../src/testing/random.js';
import { execute } from '../../src/testing/commands/commands.js';
import { Keyspace } from '../../src/testing/keyspace/keyspace.js';
import type { Reply } from '../../src/testing/keyspace/reply.js';

const START = 1_700_000_000_000;

let now = START;
let keyspace = new Keyspace(() => now, new Random(1));

beforeEach(() => {
  now = START;
  keyspace = new Keyspace(() => now, new Random(1));
});

function run(...argv: string[]): Reply {
  return execute(keyspace, argv);
}

test('TIME has microseconds', () => {
  now = START + 1234.567;

  expect(run('TIME')).toEqual(['1700000001', '234567']);
});

test('a lease is counted in whole milliseconds', () => {
  now = START + 0.9;
  run('SET', 'key', '', 'PX', '10');

  now = START + 1.1;

  expect(run('PEXPIRETIME', 'key')).toBe(START + 10);
  expect(run('PTTL', 'key')).toBe(9);
});

test('a key ends when the millisecond after its expiry begins', () => {
  run('HSET', 'key', 'field', 'value');
  run('PEXPIRE', 'key', '10');

  now = START + 10.999;
  const last = run('EXISTS', 'key');
  now = START + 11;

  expect([last, run('EXISTS', 'key'), keyspace.keys()]).toEqual([1, 0, []]);
});

test('a TTL of nothing ends a key at once', () => {
  run('SET', 'key', '');

  expect([run('PEXPIRE', 'key', '0'), run('EXISTS', 'key')]).toEqual([1, 0]);
});

test('a key that is made anew has no TTL', () => {
  run('SET', 'key', '1', 'PX', '10');

  now = START + 11;

  expect([run('INCR', 'key'), run('PTTL', 'key')]).toEqual([1, -1]);
});

test('a wall clock that steps forwards ends leases', () => {
  run('SET', 'key', '', 'PX', '60000');

  now = START + 3_600_000;

  expect(run('PTTL', 'key')).toBe(-2);
});

test('a wall clock that steps back lengthens leases', () => {
  run('SET', 'key', '', 'PX', '60000');

  now = START - 3_600_000;

  expect(run('PTTL', 'key')).toBe(3_660_000);
});

test('a key that somebody found expired does not come back', () => {
  run('SET', 'seen', '', 'PX', '10');
  run('SET', 'unseen', '', 'PX', '10');
  now = START + 20;
  run('GET', 'seen');

  now = START;

  expect(keyspace.keys()).toEqual(['unseen']);
});

test('no expired key comes back after they were removed', () => {
  run('SET', 'ended', '', 'PX', '10');
  run('SET', 'alive', '', 'PX', '20');
  now = START + 15;
  keyspace.removeExpired();

  now = START;

  expect(keyspace.keys()).toEqual(['alive']);
});

test('a snapshot brings back all types with their expiry', () => {
  const look = (): Reply[] => [
    run('GET', 'string'),
    run('PTTL', 'string'),
    run('HGETALL', 'hash'),
    run('LRANGE', 'list', '0', '-1'),
    run('ZRANGE', 'zset', '0', '-1', 'WITHSCORES'),
    run('KEYS', '*'),
  ];
  const write = (value: string): void => {
    run('SET', 'string', value, 'PX', value);
    run('HSET', 'hash', value, value);
    run('RPUSH', 'list', value);
    run('ZADD', 'zset', value, 'member', value, value);
    run('SET', value, '');
  };
  write('1000');
  const before = look();
  const snapshot = keyspace.copy();

  write('2000');
  run('DEL', 'list');
  const between = look();
  keyspace.restore(snapshot);
  const restored = look();
  write('3000');
  keyspace.restore(snapshot);

  expect(restored).toEqual(before);
  expect(between).not.toEqual(before);
  // What is written after a restore does not change the snapshot.
  expect(look()).toEqual(before);
});

test('a lease goes on while only a snapshot has it', () => {
  run('SET', 'key', '', 'PX', '1000');
  const snapshot = keyspace.copy();
  run('DEL', 'key');

  now = START + 400;
  keyspace.restore(snapshot);

  expect(run('PTTL', 'key')).toBe(600);
});

function pick(seed: number): Reply {
  const another = new Keyspace(() => now, new Random(seed));
  const fields = Array.from({ length: 100 }, (_, i) => [`field ${i}`, '']).flat();
  execute(another, ['HSET', 'hash', ...fields]);
  return execute(another, ['HRANDFIELD', 'hash', '10']);
}

test('one seed picks the same fields', () => {
  expect(pick(1)).toEqual(pick(1));
  expect(pick(1)).not.toEqual(pick(2));
});
