// The scripts of a fair lock, at instants that a test chooses.

import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';

export const START = 1_700_000_000_000;
export const LEASE_MS = 60_000;
export const WINDOW_MS = 20_000;
export const AHEAD_MS = 5_000;
export const PATIENCE_MS = 300_000;

/** Two clients of ours, with channels that no other file listens to, and one of Java. */
export const [ONE, TWO] = [`1${randomUUID().slice(1)}`, `2${randomUUID().slice(1)}`] as const;
export const JAVA = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11';

export async function stage() {
  const redis = rawClient();
  const lock = randomName('instants');
  const keys = {
    lock,
    queue: `${lock}:queue`,
    timeouts: `${lock}:timeouts`,
    heartbeats: `${lock}:beats`,
    tickets: `${lock}:tickets`,
  };
  const notice = { publish: 'PUBLISH', channel: `${lock}:channel` };
  const tombstoneOf = (holder: string) => `${lock}:cancelled:${holder}`;
  const heard: string[] = [];
  const listener = redis.duplicate();
  let number = 0;
  onTestFinished(async () => {
    listener.disconnect();
    const all = await keysUnder(lock, redis);
    if (all.length > 0) {
      await redis.unlink(...all);
    }
  });
  listener.on('message', (channel: string, payload: string) => {
    heard.push(`${channel} ${payload}`);
  });
  listener.on('pmessage', (_, channel: string, payload: string) => {
    heard.push(`${channel.slice(notice.channel.length + 1)} ${payload}`);
  });
  await listener.psubscribe(`${notice.channel}:*`);
  return {
    redis,
    keys,
    /** Whom scripts have told since the last look. */
    told: async () => {
      await redis.publish(`${notice.channel}:end`, '');
      while (heard.at(-1) !== 'end ') {
        await listener.ping();
      }
      return heard.splice(0).slice(0, -1);
    },
    /** Returns null when it was granted, else what a waiter without a ticket is answered. */
    acquire: async (
      atMs: number,
      holder: string,
      position = 'queue',
      count = 1,
      twinHeartbeats: readonly string[] = [],
    ) => {
      const all = { ...keys, tombstone: tombstoneOf(holder), twinHeartbeats };
      const args = { holder, count, leaseMs: LEASE_MS, position, windowMs: 0, ...notice };
      const answer = await runAt(redis, atMs, commandOf(scripts.fairLockAcquire, all, args));
      return answer === '+ 2 0' ? null : Number(answer);
    },
    /** The ask of a waiter with a ticket. */
    enter: (atMs: number, holder: string, position = 'queue') => {
      const all = { ...keys, tombstone: tombstoneOf(holder), twinHeartbeats: [] };
      const args = {
        holder,
        count: 1,
        leaseMs: LEASE_MS,
        position,
        windowMs: WINDOW_MS,
        ...notice,
      };
      return runAt(redis, atMs, commandOf(scripts.fairLockAcquire, all, args));
    },
    /** A client listens to its own channel from now on. Returns how to stop. */
    listens: async (client: string) => {
      await listener.subscribe(`redlatch:${client}`);
      return async () => void (await listener.unsubscribe(`redlatch:${client}`));
    },
    release: (atMs: number, holder: string, tombstoneMs = 0, others: string[] = [], count = 0) => {
      const all = { ...keys, tombstone: tombstoneOf(holder) };
      const args = { holder, count, tombstoneMs, ...notice, others };
      return runAt(redis, atMs, commandOf(scripts.fairLockRelease, all, args));
    },
    force: (atMs: number) => {
      number += 1;
      const all = { ...keys, requests: `${lock}:requests` };
      const tombstones = { tombstones: tombstoneOf(''), tombstoneMs: 1_000 };
      const args = { number, lowWater: number, ...notice, ...tombstones };
      return runAt(redis, atMs, commandOf(scripts.fairLockForceRelease, all, args));
    },
    /** A waiter of Java enters the queue as Redisson would. */
    java: async (id: string, score: number) => {
      await redis.rpush(keys.queue, id);
      await redis.zadd(keys.timeouts, score, id);
    },
    line: async () => {
      const waiting = await redis.lrange(keys.queue, 0, -1);
      const scores = await Promise.all(
        waiting.map(async (id) => Number(await redis.zscore(keys.timeouts, id)) - START),
      );
      return waiting.map((id, i) => [id, scores[i]]);
    },
  };
}

/** A lock that somebody of client one holds. */
export async function held(): ReturnType<typeof stage> {
  const all = await stage();
  await all.acquire(START, `${ONE}:0`);
  return all;
}
