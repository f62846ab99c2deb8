// The place of a waiter that has left, which goes to the next one of its client, at chosen instants.

import { expect, onTestFinished, test } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import { lineKeys } from '../../../src/core/locks/line.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { messagesOn } from '../../support/messages.js';
import { randomName, rawClient } from '../../support/redis.js';
import { holderId, LEASE_MS, stage, START } from './rw-scripts.js';

const MICROS = START * 1_000;

/** A fenced lock that `holder` has, and its line. */
async function line() {
  const redis = rawClient();
  const lock = randomName('places');
  const { line: ids, tickets, token } = lineKeys(lock, true);
  onTestFinished(async () => void (await redis.unlink(lock, ids, tickets, ...token)));
  const enter = async (holder: string, replaced = '', leaseMs = LEASE_MS) => {
    const keys = { lock, line: ids, tickets, token, tombstone: `${lock}:cancelled:${holder}` };
    const replaces = replaced === '' ? '' : holderId(replaced);
    const terms = { leaseMs, windowMs: 20_000, tokens: 2, isListening: 0, publish: 'PUBLISH' };
    const args = { holder: holderId(holder), ...terms, replaces };
    return await runAt(redis, START, commandOf(scripts.lockEnter, keys, args));
  };
  const inLine = async () => await redis.lrange(ids, 0, -1);
  await enter('holder');
  return { redis, lock, tickets, enter, inLine };
}

test('a ticket takes the place of another one in the line, once', async () => {
  const { redis, tickets, enter, inLine } = await line();
  await enter('first');
  await enter('second');
  await enter('third');

  await enter('new', 'second');
  await enter('new', 'second');

  expect(await inLine()).toEqual(['first', 'new', 'third'].map(holderId));
  expect(await redis.hexists(tickets, holderId('second'))).toBe(0);
});

test('a ticket stands at the end of the line where the place is gone', async () => {
  const { enter, inLine } = await line();
  await enter('first');

  await enter('new', 'nobody');

  expect(await inLine()).toEqual(['first', 'new'].map(holderId));
});

test('a ticket with a tombstone takes no place', async () => {
  const { redis, lock, enter, inLine } = await line();
  await enter('first');
  await redis.set(`${lock}:cancelled:new`, 1, 'PX', 60_000);
  onTestFinished(async () => void (await redis.unlink(`${lock}:cancelled:new`)));

  expect(await enter('new', 'first')).toBe('-3');

  expect(await inLine()).toEqual([holderId('first')]);
});

test('the lock of a holder that was granted it goes over, with the new lease and tokens of its own', async () => {
  const { redis, lock, enter } = await line();
  const token = (await redis.get(`redisson_lock_token:{${lock}}`))!;

  const answer = await enter('new', 'holder', 5_000);

  const last = (await redis.get(`redisson_lock_token:{${lock}}`))!;
  expect(answer).toBe(`+ 1 ${last}`);
  // Two of them.
  expect(BigInt(last) - BigInt(token)).toBeGreaterThanOrEqual(2n);
  // A copy reports tokens that are larger still.
  const [, copied = ''] = /^\+ 1 (\d+)$/u.exec(await enter('new', 'holder', 5_000)) ?? [];
  expect(BigInt(copied)).toBeGreaterThan(BigInt(last));

  expect(await redis.hgetall(lock)).toEqual({ [holderId('new')]: '1' });
  expect(await redis.pttl(lock)).toBeLessThanOrEqual(5_000);
});

const since = (reader: string, ms: number) => ({ reader, since: MICROS + ms * 1_000 });

/** A lock that a writer holds; `rank` of a waiting writer in microseconds after the start. */
async function held() {
  const all = stage();
  await all.write(START, 'holder');
  const rank = async (writer: string) => {
    const score = await all.redis.zscore(all.keys.writers, holderId(writer));
    return score === null ? null : Number(score) - MICROS;
  };
  const entry = async () => Number(await all.redis.zscore(all.keys.waiting, 'me')) - MICROS;
  return { ...all, rank, entry };
}

test('a writer takes the place of another one, where no reader waits', async () => {
  const { enter, rank, redis, keys } = await held();
  await enter(START + 10, 'old');

  await enter(START + 30, 'new', 'old', MICROS + 20_000);

  expect([await rank('old'), await rank('new')]).toEqual([null, 10_000]);
  expect(await redis.hexists(keys.tickets, holderId('old'))).toBe(0);
});

test.each([
  ['asked before it', 20_000, 20_000],
  ['asked before it, but whose client says too late', 40_000, 30_000],
  ['asked before it, but whose client says too early', 1, 10_000],
  ['asked before it, but whose client does not know', 0, 30_000],
])('a writer has its own rank where a reader waits that %s', async (_, stated, expected) => {
  const { enter, read, rank } = await held();
  await read(START, [{ reader: 'reader' }], 'queue', 'other');
  await enter(START + 10, 'old');

  await enter(START + 30, 'new', 'old', stated === 0 ? 0 : MICROS + stated);

  expect(await rank('new')).toBe(expected);
});

test('a reader that waited for the old writer, and not for the new one, is notified', async () => {
  const { enter, read, redis, keys, channel } = stage();
  await read(START, [{ reader: 'first' }]);
  await enter(START + 10, 'old');
  expect(await read(START + 15, [since('second', 15)], 'queue', 'other')).not.toEqual(['T']);
  const heard = await messagesOn(channel);

  await enter(START + 30, 'new', 'old', MICROS + 20_000);

  expect(await read(START + 31, [since('second', 15)], 'queue', 'other')).toEqual(['T']);
  expect(await redis.zscore(keys.writers, holderId('old'))).toBe(null);
  await expect.poll(() => heard).toEqual(['0']);
});

test('the write lock of a holder that was granted it goes over, with the new lease', async () => {
  const { enter, redis, keys } = await held();

  expect(await enter(START + 1, 'new', 'holder', MICROS)).toMatch(/^\+ /u);

  const fields = { mode: 'write', [`${holderId('new')}:write`]: '1' };
  expect(await redis.hgetall(keys.lock)).toEqual(fields);
});

test('a writer whose place is gone stands behind all', async () => {
  const { enter, rank } = await held();
  await enter(START + 10, 'other');

  await enter(START + 30, 'new', 'nobody', MICROS + 1);

  expect([await rank('other'), await rank('new')]).toEqual([10_000, 30_000]);
});

test('a reader waits since no later than now, and no earlier than the reader before it', async () => {
  const { read, entry } = await held();
  await read(START + 40, [since('late', 60)], 'queue');
  expect(await entry()).toBe(40_000);
  await read(START + 40, [since('one', 10), since('two', 5)], 'queue');
  expect(await entry()).toBe(10_000);
});

test('the entry of a client stays for readers that it has not asked for yet', async () => {
  const { read, releaseWrite, entry } = await held();
  await read(START + 5, [{ reader: 'one' }], 'queue');
  await releaseWrite(START + 10, 'holder');

  expect(await read(START + 20, [{ reader: 'one' }], 'queue', 'me', 0, MICROS + 15_000)).toEqual([
    'T',
  ]);

  expect(await entry()).toBe(15_000);
});
