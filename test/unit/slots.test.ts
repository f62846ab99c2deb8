import { describe, expect, test } from 'vitest';
import { readRedirection, readSlots, slotOf } from '../../src/core/connection/slots.js';

const asked = { host: '10.0.0.1', port: 7000 };

describe('the slot of a key', () => {
  test.each([
    ['123456789', 0x31c3],
    ['latch', 2_702],
    ['foo', 12_182],
    ['', 0],
  ])('is the CRC of the whole without a tag: %j', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  test.each([
    ['{grp}:latch', 'grp'],
    ['a:{grp}:b', 'grp'],
    ['a}b{c}d', 'c'],
    ['{a}{b}', 'a'],
    ['foo{{bar}}zap', '{bar'],
    ['ключ{тег}', 'тег'],
  ])('is that of its first tag: %j', (key, tag) => {
    expect(slotOf(key)).toBe(slotOf(tag));
  });

  test('of a tag is the one that Redis computes', () => {
    // As CLUSTER KEYSLOT answers.
    expect(slotOf('{grp}:latch')).toBe(3_671);
    expect(slotOf('foo{{bar}}zap')).toBe(4_015);
  });

  test.each([
    ['foo{}{bar}', 8_363],
    ['{}', 15_257],
    ['open{', 10_514],
    ['}shut{', 7_171],
  ])('is the CRC of the whole when nothing is between the braces: %j', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});

describe('the map of slots', () => {
  test('names the master of each range, and no replica', () => {
    const reply = [
      [0, 5_460, ['10.0.0.1', 7000, 'id-a', []], ['10.0.0.4', 7003, 'id-d', []]],
      [5_461, 16_383, ['node-2', 7001, 'id-b', ['ip', '10.0.0.2']], ['10.0.0.5', 7004, 'id-e']],
    ];

    expect(readSlots(reply, asked)).toEqual([
      { from: 0, to: 5_460, master: { host: '10.0.0.1', port: 7000 } },
      { from: 5_461, to: 16_383, master: { host: 'node-2', port: 7001 } },
    ]);
  });

  test.each([[''], [null]])('a node that gives its host as %j is at the one asked', (host) => {
    const reply = [[0, 16_383, [host, 7001, 'id-a']]];

    expect(readSlots(reply, asked)).toEqual([
      { from: 0, to: 16_383, master: { host: '10.0.0.1', port: 7001 } },
    ]);
  });

  test('is empty before any slot is assigned', () => {
    expect(readSlots([], asked)).toEqual([]);
  });
});

describe('a redirection', () => {
  test.each([
    ['MOVED 3999 10.0.0.2:6381', false, 3_999, { host: '10.0.0.2', port: 6381 }],
    ['ASK 3999 10.0.0.2:6381', true, 3_999, { host: '10.0.0.2', port: 6381 }],
    ['MOVED 0 cache.example.org:6379', false, 0, { host: 'cache.example.org', port: 6379 }],
    ['MOVED 16383 ::1:6381', false, 16_383, { host: '::1', port: 6381 }],
    ['MOVED 7 2001:db8::7:30001', false, 7, { host: '2001:db8::7', port: 30001 }],
    ['ASK 7 :7002', true, 7, { host: '10.0.0.1', port: 7002 }],
    [
      'ERR Error running script (call to f_1): @user_script:3: -MOVED 12 10.0.0.3:7002',
      false,
      12,
      { host: '10.0.0.3', port: 7002 },
    ],
  ])('is read from %j', (message, isAsk, slot, address) => {
    expect(readRedirection(message, asked)).toEqual({ isAsk, slot, address });
  });

  test.each([
    ['ERR unknown command'],
    ['CLUSTERDOWN The cluster is down'],
    ['ERR the object "MOVED" is held'],
    ['REMOVED 1 10.0.0.2:6381'],
  ])('is not read from %j', (message) => {
    expect(readRedirection(message, asked)).toBeUndefined();
  });
});
