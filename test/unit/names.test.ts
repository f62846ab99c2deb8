import { describe, expect, test } from 'vitest';
import {
  checkKeyPrefix,
  describe as show,
  objectKey,
  prefixed,
  suffixed,
} from '../../src/core/names.js';

describe('side keys and channels, as Redisson names them', () => {
  test.each([
    ['jobs', 'channel:{jobs}', '{jobs}:queue'],
    ['a:b c', 'channel:{a:b c}', '{a:b c}:queue'],
    ['{jobs}', 'channel:{jobs}', '{jobs}:queue'],
    ['a:{jobs}:b', 'channel:a:{jobs}:b', 'a:{jobs}:b:queue'],
  ])('of %s', (key, channel, queue) => {
    expect(prefixed('channel', key)).toBe(channel);
    expect(suffixed(key, 'queue')).toBe(queue);
  });
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

  test('is text', () => {
    expect(() => objectKey('', 7)).toThrow(TypeError);
    expect(() => objectKey('', '\udfff')).toThrow(TypeError);
    expect(() => checkKeyPrefix(undefined)).toThrow(TypeError);
    expect(() => checkKeyPrefix('\udfff')).toThrow('keyPrefix must be well-formed Unicode');
    expect(checkKeyPrefix('')).toBe('');
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
