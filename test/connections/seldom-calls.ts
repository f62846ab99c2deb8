// Script calls that everyday use does not make, each with the state that it finds: given up, left by
// the dead, by Java, or by a client that stood in a line.

import type { Redis } from 'ioredis';
import type { Operand } from '../../src/core/wire/script.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { randomName } from '../support/redis.js';
import { firstCalls, writtenAhead } from './first-calls.js';
import { idleCalls } from './idle-calls.js';
import { handedCalls } from './handed-calls.js';
import { jointCalls } from './joint-calls.js';
import { lineCalls } from './line-calls.js';

/** Runs a script, as a client would. */
export type Run = (script: { source: string }, operands: readonly Operand[]) => Promise<unknown>;

const US = '11111111-1111-4111-8111-111111111111';
const THEY = '22222222-2222-4222-8222-222222222222';
const JAVA = '33333333-3333-4333-8333-333333333333';
/** Marks what anybody may take out, since whoever it belongs to is gone. */
const DEAD = 'deaddead-dead-4ead-8ead-deaddeaddead';
const PERMIT = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const claim = (count: number): Buffer => Buffer.concat([PERMIT, Buffer.from(String(count))]);
const asked = { number: 7, lowWater: 3, client: US };

/** Where it happens. */
export interface Place {
  readonly raw: Redis;
  readonly run: Run;
}

async function useSemaphores({ raw, run }: Place): Promise<void> {
  // Given back: an acquisition that was recorded, a release that never ran, and what is over.
  for (const [recorded, permits] of [
    ['7:1 2 -1 0', 0],
    ['', 2],
    ['7:cancelled', 0],
  ] as const) {
    const { keys, told } = await gate(raw, US);
    if (recorded !== '') {
      await raw.zadd(keys.requests, 7, recorded);
      await raw.expire(keys.requests, 60);
    }
    const flags = { leaves: 1, mayRun: 1 };
    const args = { ...asked, ...told, ...flags, permits, mark: '0', place: 1, needs: [] };
    await run(scripts.semaphoreGiveBack, scripts.semaphoreGiveBack.operands(keys, args));
  }
  // Out of the line, and behind somebody else in it.
  for (const mustQueue of [0, 1]) {
    const { keys, told } = await gate(raw, mustQueue === 1 ? THEY : US);
    const args = { ...asked, ...told, mustQueue };
    const acquire = { ...args, needs: [2, 9] };
    await run(scripts.semaphoreAcquire, scripts.semaphoreAcquire.operands(keys, acquire));
    const given = { number: 8, permits: 3, mark: '', place: 0 };
    const release = { ...args, ...given, declared: '', needs: [1, 1] };
    await run(scripts.semaphoreRelease, scripts.semaphoreRelease.operands(keys, release));
  }
}

/** A semaphore with five permits, for which somebody stands in line. */
async function gate(raw: Redis, who: string) {
  const name = randomName('gate');
  const [requests, line, beats] = sides(name, 'requests', 'waiting', 'beats');
  await raw.set(name, 5);
  await stand(raw, line, beats, who);
  const told = { publish: 'PUBLISH', channel: `redisson_sc:{${name}}` };
  const record = `redlatch_permits:{${name}}`;
  return {
    keys: { semaphore: name, requests, queue: line, heartbeats: beats, record },
    told,
  };
}

async function usePermits({ raw, run }: Place): Promise<void> {
  const name = randomName('seats');
  const [requests, line, beats, leases] = sides(name, 'requests', 'waiting', 'beats', 'leases');
  const timeouts = `{${name}}:timeout`;
  const told = { publish: 'PUBLISH', channel: `redisson_sc:{${name}}` };
  const deleted = `redlatch_deleted:{${name}}`;
  const sideKeys = { timeouts, leases, requests, queue: line, heartbeats: beats, deleted };
  const keys = { semaphore: name, ...sideKeys, twin: [] };
  const args = { ...asked, ...told };
  await raw.set(name, 0, 'PX', 60_000);
  await raw.zadd(timeouts, 1, 'a-dead-permit-01');
  await writtenAhead(raw, timeouts, leases);
  await stand(raw, line, beats, THEY);
  // Permits that have expired are reclaimed; somebody else stands in front, and then nobody does.
  const claims = [Buffer.from('the-first-id-16b1 5000')];
  const inVain = { ...args, mustQueue: 1, declared: '', claims };
  const acquire = scripts.expirableSemaphoreAcquire;
  await run(acquire, acquire.operands(keys, inVain));
  await raw.del(line);
  await raw.zadd(timeouts, 2, 'a-dead-permit-02');
  await stand(raw, line, beats, US);
  const gets = { ...inVain, number: 8, mustQueue: 0 };
  await run(acquire, acquire.operands(keys, gets));
  const back = { ...args, number: 9, leaves: 1, mayRun: 1, claims: [claim(1)] };
  await stand(raw, line, beats, US);
  await run(
    scripts.expirableSemaphoreGiveBack,
    scripts.expirableSemaphoreGiveBack.operands(keys, back),
  );
  await raw.zadd(timeouts, Date.now() + 50_000, PERMIT);
  const any = { ...told, number: 10, lowWater: 3, claim: claim(1), idle: [] };
  await run(
    scripts.expirableSemaphoreReleaseAny,
    scripts.expirableSemaphoreReleaseAny.operands(keys, any),
  );
  const cancel = { number: 11, lowWater: 11 };
  await run(scripts.requestsCancel, scripts.requestsCancel.operands({ requests }, cancel));
  await run(scripts.requestsTrim, scripts.requestsTrim.operands({ requests }, { lowWater: 11 }));
  await run(scripts.requestsTrim, scripts.requestsTrim.operands({ requests }, { lowWater: 12 }));
  const renewed = Buffer.from('the-first-id-16b9000');
  await run(scripts.expirableSemaphoreRenew, [3, name, timeouts, leases, renewed]);
}

/** A read-write lock that is read by somebody who is dead, and who asks for it. */
async function book(raw: Redis) {
  const name = randomName('book');
  const [readers, writers, waiting, beats] = sides(name, 'readers', 'writers', 'waiting', 'beats');
  const [tickets] = sides(name, 'tickets');
  const stem = `{${name}}:`;
  const holder = `${THEY}:2`;
  const tombstone = `redlatch_cancelled:{${name}}:${holder}`;
  const hold = `${stem}${holder}:rwlock_timeout:1`;
  const told = { publish: 'PUBLISH', channel: `redisson_rwlock:{${name}}` };
  const inQueue = { position: 'queue', rest: 0 };
  await raw.hset(name, { mode: 'read', [`${DEAD}:1`]: 1 });
  await raw.zadd(readers, 1, `${DEAD}:1`);
  await Promise.all([name, readers].map(async (key) => await raw.pexpire(key, 60_000)));
  return {
    keys: { lock: name, readers, writers, waiting, heartbeats: beats, tickets, tombstone },
    ofClaims: [tombstone, hold, hold],
    holds: [hold],
    read: { client: THEY, ...inQueue, ...told, claims: [holder, '1', '30000', '0', ''] },
    write: {
      holder,
      count: 1,
      leaseMs: 30_000,
      position: 'queue',
      windowMs: 10_000,
      isListening: 0,
      replaces: '',
      rank: 0,
      ...told,
      stem,
    },
    free: { holder, count: 0, tombstoneMs: 1_000, listens: 0, ...told, stem, others: [] },
    told,
    stem,
  };
}

async function useReaders({ raw, run }: Place): Promise<void> {
  // Whose client stood in line; and who leaves a reader of Redisson behind that is dead.
  const { keys, ofClaims, holds, read, free } = await book(raw);
  await stand(raw, keys.waiting, keys.heartbeats, THEY);
  const operands = scripts.rwlockAcquireRead.operands({ ...keys, ofClaims }, read);
  await run(scripts.rwlockAcquireRead, operands);
  await raw.hset(keys.lock, `${DEAD}:9`, 1);
  await run(
    scripts.rwlockReleaseRead,
    scripts.rwlockReleaseRead.operands({ ...keys, holds }, free),
  );
  // A client leaves the line of a lock that is free.
  const { keys: line, told } = await book(raw);
  await raw.del(line.lock);
  await stand(raw, line.waiting, line.heartbeats, US);
  const leave = { client: US, ...told };
  await run(scripts.rwlockLeaveQueue, scripts.rwlockLeaveQueue.operands(line, leave));
}

async function useWriters({ raw, run }: Place): Promise<void> {
  const { rwlockAcquireWrite, rwlockReleaseWrite, rwlockForceRelease } = scripts;
  // One that stood in line, gets in, and leaves a reader that is dead, and one that is not.
  const { keys, write, free } = await book(raw);
  await stand(raw, keys.writers, keys.heartbeats, write.holder);
  await run(rwlockAcquireWrite, rwlockAcquireWrite.operands(keys, write));
  await raw.hset(keys.lock, `${DEAD}:9`, 1);
  await run(rwlockReleaseWrite, rwlockReleaseWrite.operands(keys, free));
  const { keys: read } = await book(raw);
  await raw.hset(read.lock, { mode: 'write', [`${write.holder}:write`]: 1, [write.holder]: 1 });
  await raw.zadd(read.readers, Date.now() + 50_000, write.holder);
  await run(rwlockReleaseWrite, rwlockReleaseWrite.operands(read, free));
  // One that waits for a reader of Redisson, and comes in once that is dead; one that only waits.
  const late = await book(raw);
  const living = `${late.stem}${JAVA}:9:rwlock_timeout:1`;
  await raw.hset(late.keys.lock, `${JAVA}:9`, 1);
  await raw.set(living, '1', 'PX', 60_000);
  await run(rwlockAcquireWrite, rwlockAcquireWrite.operands(late.keys, late.write));
  await raw.hset(late.keys.lock, `${DEAD}:9`, 1);
  await raw.hdel(late.keys.lock, `${JAVA}:9`);
  await run(rwlockAcquireWrite, rwlockAcquireWrite.operands(late.keys, late.write));
  await raw.del(late.keys.lock);
  await stand(raw, late.keys.writers, late.keys.heartbeats, late.write.holder);
  await run(rwlockReleaseWrite, rwlockReleaseWrite.operands(late.keys, late.free));
  // Forced, while a reader of Redisson is there.
  const { keys: forced, told, stem } = await book(raw);
  const [requests] = sides(forced.lock, 'requests');
  await raw.hset(forced.lock, `${JAVA}:9`, 1);
  await raw.set(`${stem}${JAVA}:9:rwlock_timeout:1`, '1', 'PX', 60_000);
  const tombstones = { tombstones: `redlatch_cancelled:{${forced.lock}}:`, tombstoneMs: 1_000 };
  const force = { number: 7, lowWater: 3, mode: 'read', ...told, stem, ...tombstones };
  await run(rwlockForceRelease, rwlockForceRelease.operands({ ...forced, requests }, force));
}

async function useFairLocks({ raw, run }: Place): Promise<void> {
  const name = randomName('fair');
  const [requests, beats] = sides(name, 'requests', 'beats');
  const queue = `redisson_lock_queue:{${name}}`;
  const timeouts = `redisson_lock_timeout:{${name}}`;
  const told = { publish: 'PUBLISH', channel: `redisson_lock__channel:{${name}}` };
  const tickets = `redlatch_tickets:{${name}}`;
  const keys = { lock: name, queue, timeouts, heartbeats: beats, tickets };
  const line = async (...members: [string, number][]): Promise<void> => {
    await raw.del(name, queue, timeouts, beats);
    for (const [member, score] of members) {
      await raw.rpush(queue, member);
      await raw.zadd(timeouts, score, member);
    }
    await raw.zadd(beats, Date.now(), US);
    await Promise.all([queue, timeouts, beats].map(async (key) => await raw.pexpire(key, 600_000)));
  };
  const soon = Date.now() + 60_000;
  const ask = { holder: `${US}:2`, count: 1, leaseMs: 30_000, windowMs: 0, ...told };
  const tombstone = `redlatch_cancelled:{${name}}:${US}:2`;
  const asks = async (position: string): Promise<void> => {
    const waiter = { ...keys, tombstone, twinHeartbeats: [] };
    const operands = scripts.fairLockAcquire.operands(waiter, { ...ask, position });
    await run(scripts.fairLockAcquire, operands);
  };

  // Behind somebody of Java's who is alive, and in front of one.
  await line([`${JAVA}:1`, soon]);
  await asks('queue');
  await line([`${US}:2`, soon], [`${JAVA}:1`, soon]);
  await asks('queue');
  // One of this client's in front of it, and one that was evicted.
  await line([`${US}:1`, soon], [`${US}:2`, soon]);
  await asks('front');
  await line([`${JAVA}:1`, soon]);
  await asks('front');
  const free = { holder: `${US}:2`, count: 0, tombstoneMs: 1_000, ...told, others: [] };
  for (const members of [
    [`${DEAD}:0`, `${THEY}:1`, `${JAVA}:1`],
    [`${US}:2`, `${JAVA}:1`],
  ]) {
    await line(...members.map((member, i): [string, number] => [member, i === 0 ? 1 : soon]));
    if (members[0] !== `${US}:2`) {
      await raw.hset(name, `${US}:2`, 1);
      await raw.pexpire(name, 60_000);
    }
    const operands = scripts.fairLockRelease.operands({ ...keys, tombstone }, free);
    await run(scripts.fairLockRelease, operands);
  }
  await line([`${DEAD}:0`, 1], [`${THEY}:1`, soon]);
  await raw.hset(name, `${US}:2`, 1);
  const tombstones = { tombstones: `redlatch_cancelled:{${name}}:`, tombstoneMs: 1_000 };
  const force = { number: 7, lowWater: 3, ...told, ...tombstones };
  await run(
    scripts.fairLockForceRelease,
    scripts.fairLockForceRelease.operands({ ...keys, requests }, force),
  );
}

/** Private keys beside an object. */
function sides(name: string, ...words: string[]): [string, string, string, string] {
  const [a = '', b = '', c = '', d = ''] = words.map((word) =>
    word === 'requests' ? `redlatch_requests:{${name}}:${US}` : `redlatch_${word}:{${name}}`,
  );
  return [a, b, c, d];
}

/** Somebody stands in a line, and is alive. */
async function stand(raw: Redis, line: string, beats: string, who: string): Promise<void> {
  await raw.zadd(line, 1, who);
  await raw.zadd(beats, Date.now() + 2_000, who);
  await Promise.all([line, beats].map(async (key) => await raw.pexpire(key, 600_000)));
}

export async function seldomCalls(raw: Redis, run: Run): Promise<void> {
  const place = { raw, run };
  const elsewhere = [firstCalls, idleCalls, lineCalls, jointCalls, handedCalls];
  for (const use of [useSemaphores, usePermits, ...elsewhere, useReaders, useWriters]) {
    await use(place);
  }
  await useFairLocks(place);
}
