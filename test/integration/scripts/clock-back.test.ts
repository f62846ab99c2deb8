// The server's clock is set back by an hour, or a failover leads to a clock that is an hour behind, while
// dead clients have entries, tickets and heartbeats. They lapse as if they were last heard of just now.

import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lineKeys } from '../../../src/core/locks/line.js';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';
import { AHEAD_MS, ONE, stage as fairStage, START, TWO } from './fair-scripts.js';
import { holderId, stage as rwStage } from './rw-scripts.js';

const ABSENT_MS = 4_000;
/** What the clock shows after the step. */
const BACK = START - 3_600_000;
const LEASE_MS = 60_000;

/** A name whose keys go after the test. */
function place() {
  const redis = rawClient();
  const name = randomName('back');
  onTestFinished(async () => {
    await redis.unlink(...(await keysUnder(name, redis)), name);
  });
  return { redis, name, notice: { publish: 'PUBLISH', channel: `${name}:channel` } };
}

/** An expirable semaphore with two permits; `entries` clients wait for three, and are dead. */
async function permits(entries: number) {
  const { redis, name, notice } = place();
  const queues = { queue: `${name}:queue`, heartbeats: `${name}:beats` };
  const keys = {
    semaphore: name,
    timeouts: `${name}:timeouts`,
    requests: `${name}:requests`,
    leases: `${name}:leases`,
    ...queues,
    deleted: `${name}:deleted`,
    twin: [],
  };
  await redis.set(name, 2);
  let number = 0;
  const acquire = async (atMs: number, client: string, count: number) => {
    number += 1;
    const claims = [Buffer.concat([randomBytes(16), Buffer.from(`${count} ${LEASE_MS}`)])];
    const terms = { client, mustQueue: count > 1 ? 1 : 0, declared: '', claims };
    const args = { number, lowWater: number, ...notice, ...terms };
    const answer = await runAt(
      redis,
      atMs,
      commandOf(scripts.expirableSemaphoreAcquire, keys, args),
    );
    return answer.split(' ').slice(0, 2).map(Number);
  };
  for (let i = 0; i < entries; i += 1) {
    await acquire(START, `dead-${i}`, 3);
  }
  return { redis, acquire, ...queues };
}

/** A lock that `ONE:0` holds, and the line for it. */
async function line() {
  const { redis, name, notice } = place();
  const { line: ids, tickets } = lineKeys(name, false);
  const keys = { lock: name, line: ids, tickets, token: [] };
  onTestFinished(async () => {
    await redis.unlink(ids, tickets);
  });
  const terms = { leaseMs: LEASE_MS, windowMs: 20_000, tokens: 1, replaces: '', ...notice };
  const enter = (atMs: number, holder: string) => {
    const args = { holder, ...terms, isListening: 0 };
    const all = { ...keys, tombstone: `${name}:cancelled:${holder}` };
    return runAt(redis, atMs, commandOf(scripts.lockEnter, all, args));
  };
  const release = (atMs: number, holder: string, listens = -1) => {
    const args = { holder, count: 0, tombstoneMs: 0, ...notice, listens };
    const all = { ...keys, tombstone: `${name}:cancelled:${holder}` };
    return runAt(redis, atMs, commandOf(scripts.lockRelease, all, args));
  };
  const listen = async () => {
    const subscriber = rawClient();
    onTestFinished(() => {
      subscriber.disconnect();
    });
    await subscriber.subscribe(notice.channel);
  };
  await enter(START, `${ONE}:0`);
  return { redis, enter, release, ids, tickets, listen };
}

describe('after the clock was set back, a dead waiter', () => {
  test('keeps permits from others for four seconds more', async () => {
    const { acquire, redis, heartbeats } = await permits(1);

    expect(await acquire(BACK, 'me', 1)).toEqual([0, ABSENT_MS]);
    expect(await redis.zscore(heartbeats, 'dead-0')).toBe(String(BACK));
    expect(await acquire(BACK + ABSENT_MS - 1, 'me', 1)).toEqual([0, 1]);
    expect(await acquire(BACK + ABSENT_MS, 'me', 1)).toEqual([1, -1]);
  });

  test('does so together with all other dead ones', async () => {
    const { acquire, redis, queue } = await permits(3);

    await acquire(BACK, 'me', 1);

    expect(await acquire(BACK + ABSENT_MS, 'me', 1)).toEqual([1, -1]);
    expect(await redis.zcard(queue)).toBe(0);
  });

  test('is handed a lock for one second more, if it does not listen', async () => {
    const { enter, release, redis, tickets } = await line();
    await enter(START, `${TWO}:1`);
    await enter(START, `${TWO}:2`);

    expect(await release(BACK, `${ONE}:0`)).toBe(-5);

    expect(await redis.hget(tickets, `${TWO}:2`)).toBe(`${BACK} 20000 0 0`);
    expect(await release(BACK + 1_001, `${TWO}:1`)).toBe(1);
  });

  test('keeps its place in the line of a lock for four seconds more', async () => {
    const { enter, release, redis, ids, tickets } = await line();
    await enter(START, `${TWO}:1`);
    await redis.hset(tickets, `${TWO}:1`, `${START} 20000 1 0`);

    expect(await release(BACK, `${ONE}:0`)).toBe(1);
    expect(await enter(BACK + ABSENT_MS, `${ONE}:1`)).toMatch(/^[+]/u);
    expect(await redis.lrange(ids, 0, -1)).toEqual([`${TWO}:1`]);

    expect(await release(BACK + ABSENT_MS + 1, `${ONE}:1`)).toBe(1);
    expect(await redis.exists(ids)).toBe(0);
  });

  test('whose readers have waited stands for a connection that listens for a second more', async () => {
    const { enter, release, redis, tickets, listen } = await line();
    await listen();
    await redis.hset(tickets, TWO, `${START} 0 0 1`, 'turn', `${BACK} ${BACK} 9`);

    expect(await release(BACK, `${ONE}:0`, 0)).toBe(1);
    expect(await redis.hget(tickets, TWO)).toBe(`${BACK} 0 0 1`);
    await enter(BACK, `${ONE}:1`);
    await release(BACK + 1_101, `${ONE}:1`, 0);
    expect(await redis.hexists(tickets, TWO)).toBe(0);
  });

  test('leaves the turns of a line as they are for a second at most', async () => {
    const { enter, release, redis, tickets } = await line();
    await enter(START, `${TWO}:1`);
    await redis.hset(tickets, 'turn', `${START} ${START} 0`, 'back', `${START}`);

    // Nobody stands back for the hour until the last open turn.
    expect(await release(BACK, `${ONE}:0`)).toBe(-5);
    expect(await redis.hget(tickets, 'turn')).toBe(`${BACK} ${BACK} 1`);
    await enter(BACK + 999, `${TWO}:2`);
    expect(await release(BACK + 1_000, `${TWO}:1`)).toBe(-6);
  });

  test('leaves the scores of live waiters as they are until their next heartbeat', async () => {
    const { acquire, line: entries } = await fairStage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${TWO}:1`);

    await acquire(BACK, `${TWO}:1`);
    await acquire(BACK + 500, `${TWO}:1`);

    expect(await entries()).toEqual([[`${TWO}:1`, BACK - START + 500 + AHEAD_MS]]);
  });

  test('stays at the head of a fair lock for four seconds more', async () => {
    const { acquire, release, redis, keys } = await fairStage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${TWO}:1`);
    await acquire(START, `${ONE}:1`, 'none');
    await release(BACK, `${ONE}:0`);

    expect(await redis.zscore(keys.heartbeats, TWO)).toBe(String(BACK));
    expect(await acquire(BACK + ABSENT_MS - 1, `${ONE}:1`, 'none')).toBe(1);
    expect(await acquire(BACK + ABSENT_MS, `${ONE}:1`, 'none')).toBe(null);
  });

  test('keeps the name that shares its fair queue out for four seconds more', async () => {
    const { acquire, java, redis, keys } = await fairStage();
    const beats = `${keys.lock}:twin`;
    await redis.zadd(beats, START, ONE);
    await java('somebody:1', START);
    const enters = (atMs: number) => acquire(atMs, `${TWO}:1`, 'queue', 1, [beats]);

    await expect(enters(BACK)).rejects.toThrow('shares');
    await expect(enters(BACK + ABSENT_MS - 1)).rejects.toThrow('shares');
    expect(await enters(BACK + ABSENT_MS)).toBeGreaterThan(0);
  });

  test('that writes makes readers wait for four seconds more', async () => {
    const { read, write, releaseRead } = rwStage();
    await read(START, [{ reader: 'one' }]);
    await write(START, 'dead', 'queue');
    await releaseRead(BACK, 'one');

    expect(await read(BACK, [{ reader: 'two' }])).toEqual([String(ABSENT_MS)]);
    expect(await read(BACK + ABSENT_MS, [{ reader: 'two' }])).toEqual(['T']);
  });

  test('that reads makes writers wait for four seconds more', async () => {
    const { read, write, releaseWrite } = rwStage();
    await write(START, 'one');
    await read(START, [{ reader: 'dead' }], 'queue', 'dead');
    await releaseWrite(BACK, 'one');

    expect(await write(BACK, 'two')).toBe(ABSENT_MS);
    expect(await write(BACK + ABSENT_MS, 'two')).toBe(null);
  });
});

describe('after the clock was set back, the lease of a dead reader', () => {
  /** The length of a lease is known to a twentieth. */
  const ENDS_AFTER_MS = LEASE_MS * 1.05;

  test('runs for no longer than it was long', async () => {
    const { read, write, redis, keys } = rwStage();
    await read(START, [{ reader: 'dead', leaseMs: LEASE_MS }]);
    await read(START, [{ reader: 'another', leaseMs: 2 * LEASE_MS }]);

    const first = Number(await write(BACK, 'writer'));
    expect(first).toBeGreaterThanOrEqual(2 * LEASE_MS);
    expect(first).toBeLessThanOrEqual(2 * ENDS_AFTER_MS);
    const ends = await redis.zrange(keys.readers, '0', '-1', 'WITHSCORES');
    expect(ends[0]).toBe(holderId('dead'));
    expect(Number(ends[1]) - BACK).toBeGreaterThanOrEqual(LEASE_MS);
    expect(Number(ends[1]) - BACK).toBeLessThanOrEqual(ENDS_AFTER_MS + 1);

    expect(await write(BACK + 2 * ENDS_AFTER_MS + 1, 'writer')).toBe(null);
  });

  test('is told so, though nobody writes', async () => {
    const { read, lease, inspect } = rwStage();
    await read(START, [{ reader: 'dead', leaseMs: LEASE_MS }]);

    const [, longestMs] = (await lease(BACK)).split(' ').map(Number);

    expect(longestMs).toBeGreaterThanOrEqual(LEASE_MS);
    expect(longestMs).toBeLessThanOrEqual(ENDS_AFTER_MS);
    expect(Number((await inspect(BACK))[2])).toBe(longestMs);
  });

  test('of any length ends when it ends, while the clock goes on', async () => {
    for (const leaseMs of [30_000, 33_333, 86_400_000, 2_147_483_647]) {
      const { read, inspect } = rwStage();
      await read(START, [{ reader: 'one', leaseMs }]);

      expect(await inspect(START + leaseMs - 1)).toEqual([holderId('one'), '1', '1']);
      expect(await inspect(START + leaseMs)).toEqual([]);
    }
  });
});

describe('the order of asking goes on after the clock was set back', () => {
  test('among clients that wait for permits', async () => {
    const { acquire, redis, queue } = await permits(2);

    await acquire(BACK, 'me', 3);
    await acquire(BACK + 1, 'another', 3);

    expect(await redis.zrange(queue, '0', '-1')).toEqual(['dead-0', 'dead-1', 'me', 'another']);
    expect(await redis.zscore(queue, 'me')).toBe(String(START * 1_000 + 2));
  });

  test('among readers and writers', async () => {
    const { read, write, redis, keys } = rwStage();
    await write(START, 'one');
    await read(START, [{ reader: 'two' }], 'queue', 'two');
    await write(BACK, 'three', 'queue');
    await read(BACK, [{ reader: 'four' }], 'queue', 'four');

    const ranks = [
      await redis.zscore(keys.waiting, 'two'),
      await redis.zscore(keys.writers, holderId('three')),
      await redis.zscore(keys.waiting, 'four'),
    ];
    expect(ranks).toEqual([0, 1, 2].map((i) => String(START * 1_000 + i)));
  });

  test('for a writer that has not waited', async () => {
    const { read, write, releaseWrite } = rwStage();
    await write(START, 'one');
    await read(START, [{ reader: 'two' }], 'queue', 'two');
    await releaseWrite(START, 'one');

    expect(await write(BACK, 'three')).toBe(ABSENT_MS);
  });
});
