// The calls of read-write locks that are handed on, each with the line that it finds.

import { readWriteKeys } from '../../src/core/locks/write-line.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';

const US = '11111111-1111-4111-8111-111111111111:1';
const THEY = '22222222-2222-4222-8222-222222222222:1';
const WINDOW_MS = 10_000;

type Held = 'write' | 'read' | 'free';

/** A read-write lock that we have, and for which others wait to write, who were heard of just now. */
async function lock({ raw }: Place, held: Held) {
  const name = randomName('written');
  const keys = readWriteKeys(name);
  const stem = `{${name}}:`;
  const hold = `${stem}${US}:rwlock_timeout:1`;
  const now = Date.now();
  if (held !== 'free') {
    await raw.hset(name, 'mode', held, held === 'write' ? `${US}:write` : US, 1);
  }
  if (held === 'read') {
    await raw.zadd(keys.readers, now + 50_000, US);
    await raw.set(hold, '1', 'PX', 60_000);
  }
  await raw.zadd(keys.writers, 1, THEY);
  await raw.zadd(keys.heartbeats, now, THEY);
  await raw.hset(keys.tickets, THEY, `${now} ${WINDOW_MS} 0 0`);
  for (const key of Object.values({ ...keys })) {
    await raw.pexpire(key, 60_000);
  }
  return {
    keys: { ...keys, tombstone: `redlatch_cancelled:{${name}}:${US}` },
    holds: [hold],
    requests: `redlatch_requests:{${name}}:${US.slice(0, 36)}`,
    notice: { publish: 'PUBLISH', channel: `redisson_rwlock:{${name}}` },
    stem,
  };
}

async function release(place: Place): Promise<void> {
  const terms = { holder: US, count: 0, tombstoneMs: 1_000, listens: 0 };
  const written = await lock(place, 'write');
  const args = { ...terms, ...written.notice, stem: written.stem };
  const { rwlockReleaseWrite, rwlockReleaseRead } = scripts;
  await place.run(rwlockReleaseWrite, rwlockReleaseWrite.operands(written.keys, args));
  const { keys, holds, notice, stem } = await lock(place, 'read');
  // With it one of its client that has given up.
  const other = `${US}1`;
  holds.push(`${keys.tombstones}${other}`, `${stem}${other}:rwlock_timeout:1`);
  const free = { ...terms, ...notice, stem, others: [other] };
  const operands = rwlockReleaseRead.operands({ ...keys, holds }, free);
  await place.run(rwlockReleaseRead, operands);
}

/** Of a lock that is free: another one comes first. Of one that we have: in our place, or in that of another
 * one in the line. */
async function enter(place: Place): Promise<void> {
  for (const [held, replaces] of [
    ['free', ''],
    ['write', US],
    ['write', THEY],
  ] as const) {
    const { keys, notice, stem } = await lock(place, held);
    const terms = { leaseMs: 30_000, position: 'queue', windowMs: WINDOW_MS, isListening: 0 };
    const holder = replaces === '' ? US : `${replaces}1`;
    const args = { holder, count: 1, ...terms, ...notice, stem, replaces, rank: 0 };
    const { rwlockAcquireWrite } = scripts;
    await place.run(rwlockAcquireWrite, rwlockAcquireWrite.operands(keys, args));
  }
}

async function forceRelease(place: Place): Promise<void> {
  for (const mode of ['write', 'read'] as const) {
    const { keys, requests, notice, stem } = await lock(place, mode);
    const tombstones = { tombstones: keys.tombstone.slice(0, -US.length), tombstoneMs: 1_000 };
    const args = { number: 7, lowWater: 3, mode, ...notice, stem, ...tombstones };
    const { rwlockForceRelease } = scripts;
    await place.run(rwlockForceRelease, rwlockForceRelease.operands({ ...keys, requests }, args));
  }
}

export async function writeLineCalls(place: Place): Promise<void> {
  await release(place);
  await enter(place);
  await forceRelease(place);
}
