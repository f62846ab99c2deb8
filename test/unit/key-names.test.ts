import { describe, expect, test } from 'vitest';
import { slotOf } from '../../src/core/connection/slots.js';
import {
  checkKeyPrefix,
  describe as show,
  objectKey,
  prefixed,
  privateKey,
  suffixed,
  twinOf,
} from '../../src/core/base/key-names.js';

describe('side keys and channels, as Redisson names them', () => {
  test.each([
    ['jobs', 'redisson_sc:{jobs}', '{jobs}:queue'],
    ['a:b c', 'redisson_sc:{a:b c}', '{a:b c}:queue'],
    ['{jobs}', 'redisson_sc:{jobs}', '{jobs}:queue'],
    ['a:{jobs}:b', 'redisson_sc:a:{jobs}:b', 'a:{jobs}:b:queue'],
  ])('of %s', (key, channel, queue) => {
    expect(prefixed('redisson_sc', key)).toBe(channel);
    expect(suffixed(key, 'queue')).toBe(queue);
  });
});

test.each([
  ['jobs', 'redlatch_beats:{jobs}', '{jobs}'],
  ['{jobs}', 'redlatch_beats:{jobs}{}', 'jobs'],
  ['{jobs}z', 'redlatch_beats:{jobs}z', undefined],
  ['a:{jobs}', 'redlatch_beats:a:{jobs}', undefined],
  ['a:{jobs}:b', 'redlatch_beats:a:{jobs}:b', undefined],
])('a private key of %s is no other name’s', (key, beats, twin) => {
  expect(privateKey('beats', key)).toBe(beats);
  expect(slotOf(beats)).toBe(slotOf(key));
  expect(twinOf(key)).toBe(twin);
});

describe('the key of an object', () => {
  test('is prefix and name', () => {
    expect(objectKey('', 'jobs')).toBe('jobs');
    expect(objectKey('app:', 'jobs')).toBe('app:jobs');
    expect(objectKey('{app}:', 'jobs')).toBe('{app}:jobs');
    expect(objectKey('app:', '{jobs}:1')).toBe('app:{jobs}:1');
  });

  test('counts the bytes of the name alone', () => {
    const longest = 'é'.repeat(256);

    expect(objectKey('a long prefix:', longest)).toBe(`a long prefix:${longest}`);
    expect(() => objectKey('', `${longest}a`)).toThrow('got 513');
  });

  test.each([
    ['{a}', '{b}'],
    ['a}', '{b'],
    ['{', 'a'],
    ['', '{}'],
    ['{a', 'b'],
  ])('with prefix %s and name %s could fall into two slots and is refused', (prefix, name) => {
    expect(() => objectKey(prefix, name)).toThrow(RangeError);
    expect(() => objectKey(prefix, name)).toThrow(JSON.stringify(prefix + name));
  });

  test('is no private key of some other object', () => {
    expect(() => objectKey('', 'redlatch_opened:{jobs}')).toThrow(RangeError);
    expect(() => objectKey('redlatch_', 'requests:\n{jobs}:1')).toThrow('redlatch_...:{...}');
    expect(objectKey('', 'redlatch_opened:jobs')).toBe('redlatch_opened:jobs');
    expect(objectKey('', 'redlatch_{jobs}')).toBe('redlatch_{jobs}');
    expect(objectKey('', 'my:redlatch_opened:{jobs}')).toBe('my:redlatch_opened:{jobs}');
  });

  test('is text', () => {
    expect(() => objectKey('', 7)).toThrow(TypeError);
    expect(() => objectKey('', '\udfff')).toThrow(TypeError);
    expect(() => checkKeyPrefix('keyPrefix', undefined)).toThrow(TypeError);
    expect(() => checkKeyPrefix('keyPrefix', '\udfff')).toThrow(
      'keyPrefix must be well-formed Unicode',
    );
    expect(checkKeyPrefix('keyPrefix', '')).toBe('');
  });
});

test.each([
  ['text', '"text"'],
  [null, 'null'],
  [undefined, 'undefined'],
  [NaN, 'NaN'],
  [-0.5, '-0.5'],
  [5n, '5n'],
  [true, 'a value of type boolean'],
  [{}, 'a value of type object'],
  [Symbol('s'), 'a value of type symbol'],
])('a message shows %s as %s', (value, shown) => {
  expect(show(value)).toBe(shown);
});
