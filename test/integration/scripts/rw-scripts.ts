// The scripts of a read-write lock, at instants that a test chooses.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';

export const START = 1_700_000_000_000;
export const LEASE_MS = 60_000;
export const WINDOW_MS = 20_000;

interface Claim {
  readonly reader: string;
  readonly leaseMs?: number;
  readonly count?: number;
  readonly since?: number;
}

/** The holder id that a test calls by a word. */
export function holderId(word: string): string {
  const digits = createHash('sha1').update(word).digest('hex').slice(0, 12);
  return word.includes(':') ? word : `00000000-0000-4000-8000-${digits}:1`;
}

/** A read-write lock that nobody holds; its holders are words. */
export function stage(redis: Redis = rawClient()) {
  const lock = randomName('instants');
  const queues = {
    readers: `${lock}:readers`,
    writers: `${lock}:writers`,
    waiting: `${lock}:waiting`,
    heartbeats: `${lock}:beats`,
    tickets: `${lock}:tickets`,
  };
  const notice = { publish: 'PUBLISH', channel: `${lock}:channel` };
  const stem = `${lock}:`;
  const holdKey = (reader: string, hold: number) =>
    `${stem}${holderId(reader)}:rwlock_timeout:${hold}`;
  const tombstoneOf = (holder: string) => `${lock}:cancelled:${holderId(holder)}`;
  let number = 0;
  onTestFinished(async () => {
    const keys = await keysUnder(lock, redis);
    if (keys.length > 0) {
      await redis.unlink(...keys);
    }
  });
  return {
    redis,
    keys: { lock, ...queues },
    channel: notice.channel,
    holdKey,
    read: (
      atMs: number,
      claims: readonly Claim[],
      position = 'none',
      client = 'me',
      micros = 0,
      rest = 0,
    ) => {
      const ofClaims = claims.flatMap(({ reader, count = 1 }) => [
        tombstoneOf(reader),
        holdKey(reader, 1),
        holdKey(reader, count),
      ]);
      const terms = claims.flatMap(({ reader, leaseMs = LEASE_MS, count = 1, since = 0 }) => [
        holderId(reader),
        String(count),
        String(leaseMs),
        String(since),
        '',
      ]);
      const command = commandOf(
        scripts.rwlockAcquireRead,
        { lock, ...queues, ofClaims },
        { client, position, rest, ...notice, claims: terms },
      );
      return runAt(redis, atMs, command, micros).then((answer) => answer.split(' ').slice(1));
    },
    /** A writer without a ticket. */
    write: async (atMs: number, holder = 'writer', position = 'none', micros = 0, count = 1) => {
      const keys = { lock, tombstone: tombstoneOf(holder), ...queues };
      const terms = { leaseMs: LEASE_MS, position, windowMs: 0, isListening: 0 };
      const place = { replaces: '', rank: 0 };
      const args = { holder: holderId(holder), count, ...terms, ...place, ...notice, stem };
      const command = commandOf(scripts.rwlockAcquireWrite, keys, args);
      const answer = await runAt(redis, atMs, command, micros);
      return answer.startsWith('+') ? null : Number(answer);
    },
    /** A writer with a ticket. */
    enter: (atMs: number, holder: string, replaced = '', rank = 0) => {
      const keys = { lock, tombstone: tombstoneOf(holder), ...queues };
      const terms = { leaseMs: LEASE_MS, position: 'queue', windowMs: WINDOW_MS, isListening: 0 };
      const place = { replaces: replaced === '' ? '' : holderId(replaced), rank };
      const args = { holder: holderId(holder), count: 1, ...terms, ...place, ...notice, stem };
      return runAt(redis, atMs, commandOf(scripts.rwlockAcquireWrite, keys, args));
    },
    releaseWrite: (atMs: number, holder: string, listens = -1) => {
      const keys = { lock, tombstone: tombstoneOf(holder), ...queues };
      const args = { holder: holderId(holder), count: 0, tombstoneMs: 0, listens, ...notice, stem };
      return runAt(redis, atMs, commandOf(scripts.rwlockReleaseWrite, keys, args));
    },
    releaseRead: (atMs: number, holder: string, others: string[] = [], tombstoneMs = 0) => {
      const ofOthers = others.flatMap((other) => [tombstoneOf(other), holdKey(other, 1)]);
      const keys = {
        lock,
        tombstone: tombstoneOf(holder),
        ...queues,
        holds: [holdKey(holder, 1), ...ofOthers],
      };
      const args = {
        holder: holderId(holder),
        count: 0,
        tombstoneMs,
        listens: 0,
        ...notice,
        stem,
        others: others.map(holderId),
      };
      return runAt(redis, atMs, commandOf(scripts.rwlockReleaseRead, keys, args));
    },
    leave: (atMs: number, client: string) => {
      const command = commandOf(
        scripts.rwlockLeaveQueue,
        { lock, ...queues },
        { client, ...notice },
      );
      return runAt(redis, atMs, command);
    },
    renew: (atMs: number, reader: string, leaseMs: number) => {
      const ofClaims = [lock, queues.readers, holdKey(reader, 1)];
      const claims = [holderId(reader), '1', String(leaseMs)];
      return runAt(redis, atMs, commandOf(scripts.rwlockRenewRead, { ofClaims }, { claims }));
    },
    holdCount: (atMs: number, holder: string) => {
      const args = { holder: holderId(holder), stem };
      return runAt(redis, atMs, commandOf(scripts.rwlockHoldCount, { lock, ...queues }, args));
    },
    inspect: async (atMs: number) => {
      const command = commandOf(scripts.rwlockInspect, { lock, ...queues }, { cursor: '0', stem });
      const [, ...fields] = JSON.parse(await runAt(redis, atMs, command)) as string[];
      return fields;
    },
    lease: (atMs: number) => {
      const args = { side: 'read', cursor: '0', enoughMs: 2 ** 40, stem };
      return runAt(redis, atMs, commandOf(scripts.rwlockLease, { lock, ...queues }, args));
    },
    force: (atMs: number, mode: string) => {
      number += 1;
      const keys = { lock, ...queues, requests: `${lock}:requests` };
      const tombstones = { tombstones: tombstoneOf(''), tombstoneMs: 1_000 };
      const args = { number, lowWater: number, mode, ...notice, stem, ...tombstones };
      return runAt(redis, atMs, commandOf(scripts.rwlockForceRelease, keys, args));
    },
  };
}
