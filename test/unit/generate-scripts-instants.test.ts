// The clock of a server may be set back: the generator knows which sort of instants a zset has by its name,
// and who may read and write them.

import { expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

const lib = (name: string) =>
  `-- Does it.\nlocal function ${name}(key, member)\n  return member\nend\n`;

/** What the generator reports of a script with this code, which has a zset of this name. */
function faultsOf(zset: string, code: string, includes: readonly string[] = []): string[] {
  const lines = [
    '-- lock/ask: ask for the lock.',
    '--',
    `-- KEYS[1] ${zset} zset    what it is about`,
    '-- ARGV[1] member integer who asks',
    '-- returns integer  0',
    '',
    ...includes.map((name) => `-- include lib/${name}`),
    code,
  ];
  const files = [
    ['lock/ask.lua', `${lines.join('\n')}\n`],
    ...includes.map((name) => [`lib/${name}.lua`, lib(name)]),
  ] as [string, string][];
  const { faults } = compile(new Map(files));
  return faults.map(({ line, message }) => `${line}: ${message}`);
}

const reads = (zset: string) => `return redis.call('ZSCORE', ${zset}, ARGV[1])`;
const adds = "redis.call('ZADD', KEYS[1], 1, ARGV[1])\nreturn 0";

test('a zset whose sort is not known is refused', () => {
  expect(faultsOf('things', reads('KEYS[1]'))).toEqual([
    '3: which sort of instants has the zset things? scripts/lua/instants.mjs has to know',
    '7: which sort of instants has this zset? Call it by a name in scripts/lua/instants.mjs',
  ]);
  expect(faultsOf('requests', `local other = KEYS[1]\n${reads('other')}`)).toEqual([
    '8: which sort of instants has this zset? Call it by a name in scripts/lua/instants.mjs',
  ]);
});

test('what was last heard is read by one lib only', () => {
  const message = 'what was last heard is read by lib/heard_* only, or asked whether it is there';
  const named = `local heartbeats = KEYS[1]\n${reads('heartbeats')}`;

  expect(faultsOf('heartbeats', named)).toEqual([`8: heartbeats: ${message}`]);
  expect(faultsOf('heartbeats', reads('KEYS[1]'))).toEqual([`7: heartbeats: ${message}`]);
  expect(faultsOf('heartbeats', `${reads('KEYS[1]')} ~= false`)).toEqual([]);
  expect(faultsOf('heartbeats', 'return heard_at(KEYS[1], ARGV[1])', ['heard_at'])).toEqual([]);
});

test('what tickets were heard of is read by one lib only', () => {
  const code = "local tickets = KEYS[1]\nreturn #redis.call('HGETALL', tickets) + ARGV[1]";

  expect(faultsOf('requests', code)).toEqual([
    '8: what tickets were heard of is read by lib/heard_tickets only',
  ]);
});

test('a new rank is made by one lib only', () => {
  const ranked = `rank_new(KEYS[1], 1)\n${adds}`;

  expect(faultsOf('writers', adds)).toEqual(['7: writers: a new rank is made by lib/rank_new']);
  expect(faultsOf('writers', ranked, ['rank_new'])).toEqual([]);
  expect(faultsOf('timeouts', adds)).toEqual([]);
});

test('when a lease of ours was written is made and read by few libs', () => {
  expect(faultsOf('leases', adds)).toEqual([
    '7: leases: when a lease was written is made by lib/leases_score',
  ]);
  expect(faultsOf('leases', `leases_score(1, 2)\n${adds}`, ['leases_score'])).toEqual([]);
  expect(faultsOf('leases', reads('KEYS[1]'))).toEqual([
    '7: leases: when a lease was written is read by lib/leases_* only',
  ]);
  const length = `return leases_length(${reads('KEYS[1]').replace('return ', '')}, 1)`;
  expect(faultsOf('leases', length, ['leases_length'])).toEqual([]);
});

test('an end of ours names the length of its lease, which limits it', () => {
  expect(faultsOf('readers', adds)).toEqual(['7: readers: an end is made by lib/ends_score']);
  expect(faultsOf('readers', reads('KEYS[1]'))).toEqual([
    '7: readers: an end is compared with now by lib/ends_left',
  ]);
  const left = `return ends_left(${reads('KEYS[1]').replace('return ', '')}, 1)`;
  expect(faultsOf('readers', left, ['ends_left'])).toEqual([]);
});
