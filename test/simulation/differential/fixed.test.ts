// What random commands do not reach on both servers: scans of large hashes, kinds of replies, the
// very instant of an expiry.

import { expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { execute } from '../../../src/testing/commands/commands.js';
import { Keyspace } from '../../../src/testing/keyspace/keyspace.js';
import { type Reply, Status } from '../../../src/testing/keyspace/reply.js';
import { LuaEngine } from '../../../src/testing/server/lua.js';
import { randomName, redisUrl } from '../../support/redis.js';
import { RealServer } from './real-server.js';

const START = 1_700_000_000_000;
const real = new RealServer(redisUrl());

test('a key lives through the millisecond at which it expires', { timeout: 60_000 }, async () => {
  const key = randomName();
  const asks = Array.from({ length: 3_000 }, () => ['PTTL', key]);
  let seen = new Set<Reply>();

  // It takes as many tries as it takes for a question to come in that very millisecond.
  while (!seen.has(0) || !seen.has(-2)) {
    const [, ...lives] = await real.run([['SET', key, '', 'PX', '1'], ...asks]);
    seen = new Set(lives);
  }

  let now = START;
  const keyspace = new Keyspace(() => now, new Random(1));
  execute(keyspace, ['SET', key, '', 'PX', '1']);
  const virtual = [0, 0.999, 1, 1.999, 2].map((passed) => {
    now = START + passed;
    return execute(keyspace, ['PTTL', key]);
  });
  expect(virtual).toEqual([1, 1, 0, 0, -2]);
});

/** Scans a hash to its end: the fields and values of each page. */
async function scan(
  run: (argv: string[]) => Promise<Reply> | Reply,
  key: string,
  count: string,
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor = '0';
  do {
    const reply = (await run(['HSCAN', key, cursor, 'COUNT', count])) as [string, string[]];
    cursor = reply[0];
    pages.push(reply[1]);
  } while (cursor !== '0');
  return pages;
}

test.each([
  { fields: 512, bytes: 20, count: '10', isOnePage: true },
  { fields: 513, bytes: 20, count: '250', isOnePage: false },
  { fields: 100, bytes: 64, count: '10', isOnePage: true },
  { fields: 100, bytes: 65, count: '10', isOnePage: false },
  { fields: 100, bytes: 65, count: '250', isOnePage: true },
  { fields: 1_200, bytes: 20, count: '250', isOnePage: false },
])(
  'HSCAN COUNT $count of $fields fields, one of $bytes bytes, ends on the first page: $isOnePage',
  async ({ fields, bytes, count, isOnePage }) => {
    const key = randomName();
    const keyspace = new Keyspace(() => START, new Random(1));
    const pairs = Array.from({ length: fields }, (_, i) => [`field ${i}`, `${i}`]).flat();
    const argv = ['HSET', key, ...pairs.with(0, 'x'.repeat(bytes))];
    await real.run([argv, ['PEXPIRE', key, '60000']]);
    execute(keyspace, argv);

    const realPages = await scan(async (each) => (await real.run([each]))[0] ?? null, key, count);
    const pages = await scan((each) => execute(keyspace, each), key, count);

    expect(pages.flat().toSorted()).toEqual(argv.slice(2).toSorted());
    // Redis may return a field twice.
    expect(new Set(realPages.flat())).toEqual(new Set(pages.flat()));
    expect([realPages.length === 1, pages.length === 1]).toEqual([isOnePage, isOnePage]);
  },
);

test('a score that ends in a half is printed as C prints it', async () => {
  const key = randomName();
  const scores = ['1700000000000120.25', '1700000000000120.75', '-1700000000000120.25', '0.1'];
  const asks = scores.flatMap((score) => [
    ['ZADD', key, score, 'a'],
    ['ZSCORE', key, 'a'],
  ]);
  const keyspace = new Keyspace(() => START, new Random(1));
  const virtual = asks.map((ask) => execute(keyspace, ask));

  expect(await real.run([...asks, ['DEL', key]])).toEqual([...virtual, 1]);
});

test('a number of a script reaches a command with all its digits', async () => {
  const lua = await LuaEngine.load();
  const script = `return redis.call('ECHO', tonumber(ARGV[1]))`;
  for (const number of ['1700000000000120', '1700000000000120.25', '0.1', '-3']) {
    const virtual = lua.run(script, [], [number], ([, echo = '']) => echo);

    expect(await real.run([['EVAL', script, '0', number]])).toEqual([virtual]);
  }
});

test('the same replies are statuses', async () => {
  const key = randomName();
  const keyspace = new Keyspace(() => START, new Random(1));
  const commands = [
    ['SET', key, '1'],
    ['SET', key, '2', 'GET'],
    ['GET', key],
    ['TYPE', key],
    ['PEXPIRE', key, '60000'],
    ['SET', key, '2', 'NX'],
  ];
  const kindOf = `
    local reply = redis.call(unpack(ARGV))
    return type(reply) == 'table' and reply.ok and 'status' or type(reply)`;

  const kinds = await real.run(commands.map((argv) => ['EVAL', kindOf, '0', ...argv]));

  const virtual = commands.map((argv) => {
    const reply = execute(keyspace, argv);
    // A script gets false for null.
    return reply instanceof Status ? 'status' : reply === null ? 'boolean' : typeof reply;
  });
  expect(virtual).toEqual(kinds);
});
