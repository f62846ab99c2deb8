// The scripts of a counting semaphore and of a plain lock, at instants that a test chooses: what they
// write down, and whom they tell.

import { expect, onTestFinished, test } from 'vitest';
import { lineKeys } from '../../../src/core/locks/line.js';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { messagesOn } from '../../support/messages.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';

const START = 1_700_000_000_000;

/** A name, and what is heard on its channel. */
async function place() {
  const redis = rawClient();
  const name = randomName('counts');
  const notice = { publish: 'PUBLISH', channel: `${name}:channel` };
  const heard = await messagesOn(notice.channel);
  onTestFinished(async () => {
    await redis.unlink(...(await keysUnder(name, redis)), name);
  });
  /** What was heard until now. */
  const told = async () => {
    await redis.publish(notice.channel, 'end');
    await expect.poll(() => heard.at(-1)).toBe('end');
    return heard.splice(0).slice(0, -1);
  };
  return { redis, name, notice, told };
}

/** A counting semaphore that nobody has made. */
async function stage() {
  const { redis, name, notice, told } = await place();
  const own = { semaphore: name, requests: `${name}:requests`, record: `${name}:record` };
  const queues = { queue: `${name}:queue`, heartbeats: `${name}:beats` };
  const client = 'me';
  let number = 0;
  const counted = () => {
    number += 1;
    return { number, lowWater: number };
  };
  return {
    redis,
    told,
    ...own,
    ...queues,
    configure: (setting: string, micros = 0) => {
      const args = { ...counted(), ...notice, setting };
      const command = commandOf(scripts.semaphoreConfigure, own, args);
      return runAt(redis, START, command, micros);
    },
    drain: (declared: string) => {
      const command = commandOf(scripts.semaphoreDrainPermits, own, {
        ...counted(),
        declared,
      });
      return runAt(redis, START, command);
    },
    acquire: (needs: number[], micros: number) => {
      const args = { ...counted(), ...notice, client, mustQueue: 1, needs };
      const command = commandOf(scripts.semaphoreAcquire, { ...own, ...queues }, args);
      return runAt(redis, START, command, micros);
    },
    giveBack: (permits: number, mark: string, leaves = 0) => {
      const grant = { permits, mark, place: 1, needs: [] };
      const args = { ...counted(), ...notice, client, leaves, mayRun: 1, ...grant };
      const command = commandOf(scripts.semaphoreGiveBack, { ...own, ...queues }, args);
      return runAt(redis, START, command);
    },
  };
}

test('where an object declares a number, a semaphore that is not there is not drained', async () => {
  const { drain, configure, redis, record } = await stage();

  expect([await drain('0'), await drain('')]).toEqual(['none', '0']);
  await redis.hset(record, 'deleted', 1);

  expect(await drain('0')).toBe('0');
  expect(await configure('keep 2 3')).toBe('0 0 0 1');
});

test('a semaphore whose permits were taken in two calls is known to have none left', async () => {
  const { drain, configure } = await stage();
  await configure('error 1 3');

  expect([await drain(''), await drain('')]).toEqual(['3', '0']);

  expect(await configure('error 1 4')).toBe('0 1 3 1');
});

test('a semaphore that was deleted is made by a first statement only', async () => {
  const { configure, redis, semaphore, record } = await stage();
  await redis.hset(record, 'deleted', 1);

  expect(await configure('keep 2 3')).toBe('0 0 0 1');
  expect(await redis.exists(semaphore)).toBe(0);
  expect(await configure('keep 1 3')).toBe('3 1 3 1');
  expect(await redis.hget(record, 'deleted')).toBeNull();
});

test('the mark of a semaphore is the microsecond in which it was made', async () => {
  const { configure, redis, record } = await stage();

  await configure('keep 1 3', 17);

  expect(await redis.hget(record, 'semaphore')).toMatch(new RegExp(`^${START * 1_000 + 17} `, 'u'));
});

test('the rank of a client in the wait queue is the microsecond in which it came', async () => {
  const { configure, acquire, redis, queue } = await stage();
  await configure('keep 1 1');

  await acquire([2], 23);

  expect(await redis.zrange(queue, '0', '-1', 'WITHSCORES')).toEqual([
    'me',
    String(START * 1_000 + 23),
  ]);
});

test('what is given back is told with all that is available then', async () => {
  const { configure, acquire, giveBack, told } = await stage();
  await configure('keep 1 5');
  await acquire([2], 0);
  const answer = await acquire([1], 0);
  await told();

  expect(await giveBack(1, answer.slice(answer.lastIndexOf(' ') + 1))).toBe(1);

  expect(await told()).toEqual(['3']);
});

test('a client that leaves the wait queue tells what is available, and one that had no place nothing', async () => {
  const { configure, acquire, giveBack, told } = await stage();
  await configure('keep 1 1');
  await acquire([2], 0);
  await told();

  expect([await giveBack(0, '', 1), await giveBack(0, '', 1)]).toEqual([0, 0]);

  expect(await told()).toEqual(['1']);
});

test('a release that leaves another holder in the lock does not free it', async () => {
  const { redis, name, notice, told } = await place();
  await redis.hset(name, 'me', '1', 'another', '1');
  const args = { holder: 'me', count: 0, tombstoneMs: 0, ...notice, listens: -1 };
  const keys = { ...lineKeys(name, false), tombstone: `${name}:cancelled` };

  expect(await runAt(redis, START, commandOf(scripts.lockRelease, keys, args))).toBe(0);

  expect(await redis.hkeys(name)).toEqual(['another']);
  expect(await told()).toEqual([]);
});
