// The oldest server: derived from what the scripts call, and named where users look for it.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';
import { OLDEST_REDIS } from '../../src/core/base/constants.generated.js';

const header = '-- lock/acquire: take it.\n-- KEYS[1] lock any it\n-- returns integer 1\n\n';

function compiled(...code: string[]): ReturnType<typeof compile> {
  return compile(new Map([['lock/acquire.lua', `${header}${code.join('\n')}\n`]]));
}

describe('it is that of the newest', () => {
  test.each([
    ['command', "return redis.call('ZMSCORE', KEYS[1], 'a')", '6.2', ['ZMSCORE']],
    ['command in small letters', "return redis.call('zmscore', KEYS[1], 'a')", '6.2', ['ZMSCORE']],
    ['command, with pcall', "return redis.pcall('LPOS', KEYS[1], 'a')", '6.0.6', ['LPOS']],
    ['option', "return redis.call('SET', KEYS[1], 'a', 'KEEPTTL')", '6.0', ['SET with KEEPTTL']],
    [
      'option of an old command',
      "return redis.call('PEXPIRE', KEYS[1], 1, 'NX')",
      '7.0',
      ['PEXPIRE with NX'],
    ],
    [
      'of several',
      "redis.call('GETDEL', KEYS[1])\nreturn redis.call('ZADD', KEYS[1], 'GT', 1, 'GET')",
      '6.2',
      ['GETDEL', 'ZADD with GT'],
    ],
    [
      'but scripts that write behind TIME',
      "return redis.call('GET', KEYS[1])",
      '5.0',
      ['scripts that write behind TIME'],
    ],
    [
      'but what is sent only where it is known',
      "return redis.call('PUBSUB', 'SHARDNUMSUB', KEYS[1])",
      '5.0',
      ['scripts that write behind TIME'],
    ],
  ])('%s', (_, code, version, needs) => {
    expect(compiled(code).oldest).toEqual({ version, needs });
  });
});

describe('it is refused that a script calls', () => {
  test.each([
    ['an unknown command', "return redis.call('VSIM', KEYS[1])", 'VSIM'],
    ['an unknown option', "return redis.call('SET', KEYS[1], 'a', 'IFEQ')", 'SET with IFEQ'],
  ])('%s', (_, code, what) => {
    expect(compiled(code).faults).toEqual([
      {
        file: 'lock/acquire.lua',
        line: 5,
        message: expect.stringMatching(
          `^${what} is not in the table of scripts/lua/commands.mjs`,
        ) as string,
      },
    ]);
  });
});

test.each(['README.md', 'docs/connecting.md'])('%s names it', (file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

  expect(text).toContain(`Redis ${OLDEST_REDIS} or later`);
});

test('docs/connecting.md names all that it brought', () => {
  const file = new URL('../../src/core/base/constants.generated.ts', import.meta.url);
  const text = readFileSync(new URL('../../docs/connecting.md', import.meta.url), 'utf8');
  const [, needs = ''] =
    /runs all scripts: it brought (.*)\. \*\//u.exec(readFileSync(file, 'utf8')) ?? [];
  const commands = [...needs.matchAll(/[A-Z]{2,}/gu)].map(([command]) => command);

  expect(commands).not.toEqual([]);
  for (const command of commands) {
    expect(text).toContain(`\`${command}\``);
  }
});
