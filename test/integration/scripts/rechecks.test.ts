// Waiters look again at a lock that has become one of another kind, or whose counter of tokens has.

import { expect, onTestFinished, test } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { randomName, rawClient } from '../../support/redis.js';

const NOW = 1_700_000_000_000;
const WAITER = '20000000-0000-4000-8000-000000000000:1';
const READER = '30000000-0000-4000-8000-000000000000:1';

test('a ticket of a lock that readers have is unknown, whichever field is seen first', async () => {
  const redis = rawClient();
  const lock = randomName('rechecks');
  const [line, tickets] = [`${lock}:line`, `${lock}:tickets`];
  onTestFinished(async () => void (await redis.del(lock, line, tickets)));
  await redis.hset(lock, { mode: 'read', [READER]: 1 });
  await redis.rpush(line, WAITER);
  await redis.hset(tickets, WAITER, `${NOW} 4001 0 0`);
  const terms = [WAITER, '30000', '4001', '0', '0'];
  const args = { publish: 'PUBLISH', terms };
  const command = commandOf(scripts.lockRecheck, { ofTickets: [lock, line, tickets] }, args);

  const answers = new Set<string>();
  for (let i = 0; i < 30; i += 1) {
    answers.add(await runAt(redis, NOW, command));
  }

  expect([...answers]).toEqual(['?']);
});

const HOLDER = '10000000-0000-4000-8000-000000000000:1';
const BEFORE = '40000000-0000-4000-8000-000000000000:1';

test.each([
  [200, 200],
  // It is not asked about more often than this.
  [10, 50],
  [40_000, 30_000],
])(
  'a waiter behind one that asks for %i ms has to ask again after %i ms',
  async (windowMs, dueMs) => {
    const redis = rawClient();
    const lock = randomName('rechecks');
    const [line, tickets, tombstone] = [`${lock}:line`, `${lock}:tickets`, `${lock}:tombstone`];
    onTestFinished(async () => void (await redis.del(lock, line, tickets)));
    await redis.hset(lock, HOLDER, 1);
    await redis.rpush(line, BEFORE);
    await redis.hset(tickets, BEFORE, `${NOW} ${windowMs} 0 0`);
    const keys = { lock, line, tickets, tombstone, token: [] };
    const given = { holder: WAITER, leaseMs: 30_000, windowMs: 10_000, isListening: 0, tokens: 1 };
    const args = { ...given, replaces: '', publish: 'PUBLISH' };
    const enter = commandOf(scripts.lockEnter, keys, args);
    const terms = [WAITER, '30000', '10000', '0', '0'];
    const ofTickets = [lock, line, tickets];
    const recheck = commandOf(scripts.lockRecheck, { ofTickets }, { publish: 'PUBLISH', terms });
    const leftOf = async (command: typeof enter): Promise<number> => {
      await redis.pexpire(lock, 30_000);
      return Number((await runAt(redis, NOW, command)).split(' ')[0]);
    };

    const left = [await leftOf(enter), await leftOf(enter), await leftOf(recheck)];

    expect(left.every((ms) => ms <= dueMs && ms > dueMs - 1_000)).toBe(true);
    await redis.hset(tickets, WAITER, `${NOW} 10000 0 0`, BEFORE, `${NOW} ${windowMs} 0 0`);
    await redis.lrem(line, 1, BEFORE);
    expect(await leftOf(recheck), 'the first one').toBeGreaterThan(29_000);
  },
);

test.each([
  ['a hash', { field: '1' }],
  ['no number', 'abc'],
  ['the largest integer', '9223372036854775807'],
])(
  'where the counter of a fenced lock is %s, what became of its ticket is unknown, and of that alone',
  async (_, content) => {
    const redis = rawClient();
    const names = [randomName('rechecks'), randomName('rechecks')] as const;
    const [bad, good] = names.map((lock) => `${lock}:token`) as [string, string];
    onTestFinished(async () => void (await redis.del(...names, bad, good)));
    await Promise.all(names.map(async (lock) => await redis.hset(lock, WAITER, 1)));
    await (typeof content === 'string' ? redis.set(bad, content) : redis.hset(bad, content));
    const ofTickets = names.flatMap((lock) => [
      lock,
      `${lock}:line`,
      `${lock}:tickets`,
      `${lock}:token`,
    ]);
    const ticket = [WAITER, '30000', '4001', '0', '1'];
    const args = { publish: 'PUBLISH', terms: [...ticket, ...ticket] };

    const answer = await runAt(redis, NOW, commandOf(scripts.lockRecheck, { ofTickets }, args));

    expect(answer).toBe(`?,= 30000 ${await redis.get(good)}`);
    expect(await redis.type(bad)).toBe(typeof content === 'string' ? 'string' : 'hash');
  },
);
