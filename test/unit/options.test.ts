import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isPlain } from '../../src/core/base/options.js';
import { addressOf } from '../../src/core/connection/access.js';

test.each<[string, unknown, boolean]>([
  ['a literal', {}, true],
  ['a literal of another realm', runInNewContext('({})'), true],
  ['an object without a prototype', Object.create(null), true],
  ['an instance', new Date(), false],
  [
    'an object that has a bare one as its prototype',
    Object.create({ __proto__: null }) as object,
    false,
  ],
  ['an array', [], false],
  ['a map', new Map(), false],
  ['nothing', null, false],
  ['a text', 'x', false],
])('%s is options, or is not', (_, value, expected) => {
  expect(isPlain(value)).toBe(expected);
});

test('an address says where options lead to', () => {
  expect(addressOf({ host: 'h', port: 1 })).toBe('h:1');
  expect(addressOf({ host: 'h', port: 1, sentinels: [] })).toBe('h:1');
  expect(addressOf({ name: 'm', sentinels: [{ host: 'a' }, { host: 'b', port: 2 }] })).toBe(
    'm of the sentinels a:26379, b:2',
  );
});
