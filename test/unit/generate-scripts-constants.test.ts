// Numbers of scripts that have a name.

import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';
import { emitConstants } from '../../scripts/lua/emit.mjs';

const sound = `return {
  -- client: Milliseconds until it ends.
  LEASE_MS = 30000,
  -- The smallest count.
  COUNT_MIN = -2147483648,
  -- client: What keys begin with.
  PRODUCT_NAME = 'redlatch',
}
`;

const script = (code: string): string =>
  `-- lock/acquire: take it.\n-- KEYS[1] lock any it\n-- returns integer 1\n\n${code}\n`;

const code = `redis.call('SET', KEYS[1], LEASE_MS)\nreturn { COUNT_MIN, PRODUCT_NAME }`;

function compiled(constants: string, acquire = code): ReturnType<typeof compile> {
  return compile(
    new Map([
      ['constants.lua', constants],
      ['lock/acquire.lua', script(acquire)],
    ]),
  );
}

function faultsOf(...args: Parameters<typeof compiled>): string[] {
  return compiled(...args).faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test('a script has the number, and the client what it has to know', () => {
  const { scripts, constants, oldest, faults } = compiled(sound);

  expect(faults).toEqual([]);
  expect(scripts.map(({ source }) => source)).toEqual([
    "-- lock/acquire\nredis.call('SET',KEYS[1],30000)\nreturn { -2147483648,'redlatch' }",
  ]);
  expect(emitConstants(constants, oldest).split('\n').slice(1)).toEqual([
    '',
    '/** Milliseconds until it ends. */',
    'export const LEASE_MS: number = 30000;',
    '',
    '/** What keys begin with. */',
    "export const PRODUCT_NAME: string = 'redlatch';",
    '',
    '/** The oldest Redis that runs all scripts: it brought scripts that write behind TIME. */',
    "export const OLDEST_REDIS: string = '5.0';",
    '',
  ]);
});

describe('it is refused that', () => {
  test.each([
    ['a number has no comment', sound.replace('  -- The smallest count.\n', ''), 4],
    ['a name is one word', sound.replace('COUNT_MIN', 'MIN'), 5],
    ['a value is neither a number nor a word', sound.replace('30000', "'so soon'"), 3],
    ['it is not one table', 'local x = 1\n', 1],
  ])('%s', (_, constants, line) => {
    expect(faultsOf(constants)).toContainEqual(
      expect.stringMatching(new RegExp(`^constants.lua:${line}: (expected|a comment above)`, 'u')),
    );
  });

  test('no script uses a number', () => {
    expect(faultsOf(sound, 'return redis.call("SET", KEYS[1], LEASE_MS)')).toEqual([
      'constants.lua:5: no script uses COUNT_MIN',
      'constants.lua:7: no script uses PRODUCT_NAME',
    ]);
  });

  test('a script uses a name that is not there', () => {
    expect(faultsOf(sound, `${code} + OTHER_MS`)).toContainEqual(
      expect.stringMatching(/^lock\/acquire.lua:6: 'OTHER_MS' is global/u),
    );
  });

  test.each(['600000', '-4000', '1000', '5 + 1000000'])(
    'a script has the bare number %s',
    (number) => {
      expect(faultsOf(sound, `local n = ${number}\n${code} + n`)).toContainEqual(
        expect.stringMatching(
          /^lock\/acquire.lua:5: \d+ must have a name: add it to constants.lua$/u,
        ),
      );
    },
  );
});

test('small numbers and units of time need no name', () => {
  const units = `local n = 999 + 60 * 1000 + 7 / 1000000\n${code} + n`;

  expect(faultsOf(sound, units)).toEqual([]);
});
