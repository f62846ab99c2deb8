// At maxmemory Redis refuses a first write that needs memory, and lets all through behind one that needs
// none: the generator follows the paths of a script to its first writes.

import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

const DECLARED = '-- at maxmemory: carried out';

const header = `-- lock/release: free the lock.
--
-- KEYS[1] lock     hash    who holds
-- ARGV[1] count    integer how many holds are left
-- returns integer  0

`;

const lib = `-- Changes it.
local function change(key)
  if redis.call('EXISTS', key) == 0 then
    return 0
  end
  return redis.call('HSET', key, 'a', 1)
end
`;

/** What the generator reports of a script with this code behind its header. */
function faultsOf(code: string, libs: Record<string, string> = {}): string[] {
  const files = { 'lock/release.lua': `${header}${code}`, ...libs };
  const { faults } = compile(new Map(Object.entries(files)));
  return faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

const refused = (commands: string): string =>
  `lock/release.lua:7: its first write must be one that needs no memory, and can be ${commands}`;

describe('a script that is carried out at maxmemory may', () => {
  test.each([
    ['free', "return redis.call('DEL', KEYS[1], ARGV[1])"],
    [
      'write behind that',
      "redis.call('HDEL', KEYS[1], ARGV[1])\nredis.call('HSET', KEYS[1], 1, 1)",
    ],
    [
      'free on each of its paths',
      "local n = ARGV[1]\nif n == '1' then\n  redis.call('HDEL', KEYS[1], n)\nelse\n" +
        "  redis.call('PEXPIRE', KEYS[1], n)\nend\nreturn redis.call('HSET', KEYS[1], n, n)",
    ],
    [
      'return before it writes',
      "if ARGV[1] == '1' then\n  return 0\nend\nreturn redis.call('DEL', KEYS[1])",
    ],
    [
      'go on when a write was refused',
      "redis.pcall('HSET', KEYS[1], 'a', ARGV[1])\nreturn redis.call('DEL', KEYS[1])",
    ],
  ])('%s', (_, code) => {
    expect(faultsOf(`${DECLARED}\n${code}\n`)).toEqual([]);
  });
});

describe('a script that is carried out at maxmemory may not first', () => {
  test.each([
    ['write', "return redis.call('HSET', KEYS[1], 'a', ARGV[1])"],
    [
      'write on one of its paths',
      "if ARGV[1] == '1' then\n  redis.call('HDEL', KEYS[1], 'a')\nend\n" +
        "return redis.call('HSET', KEYS[1], 'a', 1)",
    ],
    [
      'write where a loop ran not once',
      "for i = 1, ARGV[1] do\n  redis.call('HDEL', KEYS[1], i)\nend\n" +
        "return redis.call('HSET', KEYS[1], 'a', 1)",
    ],
    [
      'write behind what may be skipped',
      "local n = ARGV[1] == '1' and redis.call('HDEL', KEYS[1], 'a')\n" +
        "return n or redis.call('HSET', KEYS[1], 'a', 1)",
    ],
  ])('%s', (_, code) => {
    expect(faultsOf(`${DECLARED}\n${code}\n`)).toEqual([refused('HSET')]);
  });

  test('have a function write', () => {
    const code = `${DECLARED}\n-- include lib/change\nreturn change(KEYS[1], ARGV[1])\n`;

    expect(faultsOf(code, { 'lib/change.lua': lib })).toEqual([refused('HSET')]);
  });

  test('do nothing at all', () => {
    expect(faultsOf(`${DECLARED}\nreturn redis.call('HGET', KEYS[1], ARGV[1])\n`)).toEqual([
      refused('none'),
    ]);
  });
});

test('a script that needs no memory must say so', () => {
  expect(faultsOf("return redis.call('DEL', KEYS[1], ARGV[1])\n")).toEqual([
    `lock/release.lua:1: no first write of it needs memory: it must have the line '${DECLARED}'`,
  ]);
});
