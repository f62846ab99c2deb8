// The calls of objects that declare a number of permits, of semaphores that are there and of none.

import type { Redis } from 'ioredis';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { Operand } from '../../src/core/wire/script.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';

const US = '11111111-1111-4111-8111-111111111111';
const PERMIT = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const asked = { number: 7, lowWater: 3, client: US, publish: 'PUBLISH', mustQueue: 0 };

type Call = [script: { source: string }, operands: readonly Operand[]];

async function useSemaphores({ raw, run }: Place): Promise<void> {
  for (const isThere of [true, false]) {
    for (let i = 0; i < 5; i += 1) {
      const semaphore = randomName('gate');
      if (isThere) {
        await setTotal(raw, semaphore);
      }
      const call = semaphoreCalls(semaphore)[i];
      await run(...call!);
    }
  }
}

function semaphoreCalls(semaphore: string): Call[] {
  const keys = {
    semaphore,
    requests: `redlatch_requests:{${semaphore}}:${US}`,
    queue: `redlatch_waiting:{${semaphore}}`,
    heartbeats: `redlatch_beats:{${semaphore}}`,
    record: `redlatch_permits:{${semaphore}}`,
  };
  const channel = `redisson_sc:{${semaphore}}`;
  const args = {
    ...asked,
    channel,
    setting: 'keep 1 3',
    declared: '0',
    needs: [1],
    permits: 2,
    mark: '',
    place: 1,
    delta: 1,
  };
  return [
    [scripts.semaphoreAcquire, scripts.semaphoreAcquire.operands(keys, args)],
    [scripts.semaphoreRelease, scripts.semaphoreRelease.operands(keys, args)],
    [scripts.semaphoreAddPermits, scripts.semaphoreAddPermits.operands(keys, args)],
    [scripts.semaphoreDrainPermits, scripts.semaphoreDrainPermits.operands(keys, args)],
    [scripts.semaphoreConfigure, scripts.semaphoreConfigure.operands(keys, args)],
  ];
}

/** A semaphore with five permits whose total is known. */
async function setTotal(raw: Redis, name: string): Promise<void> {
  const record = `redlatch_permits:{${name}}`;
  await raw.set(name, 5, 'PX', 60_000);
  await raw.hset(record, { semaphore: '1700000000000000 5 0 0 0 1', grants: '0 0' });
  await raw.pexpire(record, 60_000);
}

async function usePermits({ raw, run }: Place): Promise<void> {
  for (const setting of ['keep 1 3', 'set 1 3', 'set 1 9', 'set 3 3', 'error 1 3']) {
    for (const isThere of [true, false]) {
      for (let i = 0; i < 3; i += 1) {
        const semaphore = randomName('seats');
        if (isThere) {
          const timeouts = `{${semaphore}}:timeout`;
          await raw.set(semaphore, 4, 'PX', 60_000);
          await raw.zadd(timeouts, Date.now() + 50_000, PERMIT);
          await raw.pexpire(timeouts, 60_000);
        }
        const call = permitCalls(semaphore, setting)[i];
        await run(...call!);
      }
    }
  }
  // Behind a newer statement, and one that nobody has kept alive.
  for (const keptMs of [0, 400_000]) {
    const semaphore = randomName('seats');
    const { statements } = permitKeys(semaphore);
    const now = Date.now();
    await raw.set(semaphore, 4, 'PX', 60_000);
    await raw.hset(statements, {
      3: `${now - 900_000} ${now}`,
      4: `${now - 500_000} ${now - keptMs}`,
    });
    await raw.pexpire(statements, 60_000);
    await run(...permitCalls(semaphore, 'set 1 3')[2]!);
  }
  const semaphore = randomName('seats');
  const keys = permitKeys(semaphore);
  await raw.set(semaphore, 4, 'PX', 60_000);
  await raw.hset(keys.statements, { 4: `${Date.now()} ${Date.now()}` });
  await raw.pexpire(keys.statements, 60_000);
  const resize = scripts.expirableSemaphoreResize;
  const args = {
    ...asked,
    channel: `redisson_sc:{${semaphore}}`,
    declared: '',
    way: 'to',
    permits: 2,
  };
  await run(resize, resize.operands(keys, args));
}

function permitKeys(semaphore: string) {
  return {
    semaphore,
    timeouts: `{${semaphore}}:timeout`,
    requests: `redlatch_requests:{${semaphore}}:${US}`,
    queue: `redlatch_waiting:{${semaphore}}`,
    heartbeats: `redlatch_beats:{${semaphore}}`,
    leases: `redlatch_leases:{${semaphore}}`,
    deleted: `redlatch_deleted:{${semaphore}}`,
    statements: `redlatch_statements:{${semaphore}}`,
    twin: [],
  };
}

function permitCalls(semaphore: string, setting: string): Call[] {
  const keys = permitKeys(semaphore);
  const channel = `redisson_sc:{${semaphore}}`;
  const claims = [Buffer.from('the-first-id-16b1 5000')];
  const args = { ...asked, channel, setting, declared: '0', way: 'by', permits: 1, claims };
  return [
    [scripts.expirableSemaphoreAcquire, scripts.expirableSemaphoreAcquire.operands(keys, args)],
    [scripts.expirableSemaphoreResize, scripts.expirableSemaphoreResize.operands(keys, args)],
    [scripts.expirableSemaphoreConfigure, scripts.expirableSemaphoreConfigure.operands(keys, args)],
  ];
}

/** The lease of the permit was written ten seconds from now: the clock was set back since. */
export async function writtenAhead(raw: Redis, timeouts: string, leases: string): Promise<void> {
  const end = Date.now() + 50_000;
  const score = Math.floor(Date.now() / 1_000 + 10) * 2_097_152 + (end % 2_097_152);
  await raw.zadd(timeouts, end, PERMIT);
  await raw.zadd(leases, score, PERMIT);
  await Promise.all([timeouts, leases].map(async (key) => await raw.pexpire(key, 60_000)));
}

/** Looks at a semaphore in which the lease of a permit was written ahead. */
async function look({ raw, run }: Place): Promise<void> {
  for (const setting of ['', 'keep 1 5']) {
    const semaphore = randomName('seats');
    await raw.set(semaphore, 4, 'PX', 60_000);
    const keys = permitKeys(semaphore);
    await writtenAhead(raw, keys.timeouts, keys.leases);
    if (setting === '') {
      const operands = scripts.expirableSemaphoreInspect.operands(keys, {});
      await run(scripts.expirableSemaphoreInspect, operands);
    } else {
      await run(...permitCalls(semaphore, setting)[2]!);
    }
  }
}

export async function firstCalls(place: Place): Promise<void> {
  await useSemaphores(place);
  await usePermits(place);
  await look(place);
}
