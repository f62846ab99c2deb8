// Calls about semaphores with an `idleMs`, of which all permits are there, or one is out.

import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { Operand } from '../../src/core/wire/script.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';

const US = '11111111-1111-4111-8111-111111111111';
const PERMIT = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const claims = (count: number) => [Buffer.from(`the-first-id-16b${count} 5000`)];
const claim = (rest: string): Buffer => Buffer.concat([PERMIT, Buffer.from(rest)]);
const IDLE_MS = 60_000;
const ID = '1700000000000000';
const MARK = `${ID}:1:5`;
/** The acquisition that has one permit, as it is given back. */
const ACQUIRED = { number: 5, permits: 0, mark: '' };
const asked = { number: 7, lowWater: 3, client: US, publish: 'PUBLISH', mustQueue: 0 };

type Call = [script: { source: string }, operands: readonly Operand[]];

const semaphoreKeys = (semaphore: string) => ({
  semaphore,
  requests: `redlatch_requests:{${semaphore}}:${US}`,
  queue: `redlatch_waiting:{${semaphore}}`,
  heartbeats: `redlatch_beats:{${semaphore}}`,
  record: `redlatch_permits:{${semaphore}}`,
});

function semaphoreCalls(name: string, setting: string): Call[] {
  const keys = semaphoreKeys(name);
  const declared = setting.split(' ')[3] ?? '';
  const channel = `redisson_sc:{${name}}`;
  const args = { ...asked, channel, setting, declared, place: 1, delta: 1 };
  const grant = { ...args, permits: 1, mark: MARK, declared: '' };
  const acquire = scripts.semaphoreAcquire;
  const [set, back] = [scripts.semaphoreTrySetPermits, scripts.semaphoreGiveBack];
  return [
    [acquire, acquire.operands(keys, { ...args, needs: [1] })],
    [acquire, acquire.operands(keys, { ...args, needs: [9] })],
    [scripts.semaphoreRelease, scripts.semaphoreRelease.operands(keys, { ...grant, needs: [] })],
    [
      scripts.semaphoreRelease,
      scripts.semaphoreRelease.operands(keys, { ...args, permits: 1, mark: '', needs: [1] }),
    ],
    [scripts.semaphoreReturn, scripts.semaphoreReturn.operands(keys, grant)],
    [back, back.operands(keys, { ...grant, leaves: 0, mayRun: 1, needs: [] })],
    [back, back.operands(keys, { ...args, ...ACQUIRED, leaves: 0, mayRun: 1, needs: [1] })],
    [scripts.semaphoreAddPermits, scripts.semaphoreAddPermits.operands(keys, args)],
    [scripts.semaphoreDrainPermits, scripts.semaphoreDrainPermits.operands(keys, args)],
    [scripts.semaphoreConfigure, scripts.semaphoreConfigure.operands(keys, args)],
    [set, set.operands(keys, { ...args, permits: 3, ttlMs: -IDLE_MS })],
  ];
}

async function useSemaphores({ raw, run }: Place): Promise<void> {
  for (const state of ['none', 'free', 'out'] as const) {
    for (const setting of ['', `keep 1 3 ${IDLE_MS}`, `keep 1 3 ${2 * IDLE_MS}`]) {
      for (let i = 0; i < 11; i += 1) {
        if (i === 9 && setting === '') {
          continue;
        }
        const name = randomName('gate');
        const { record, requests } = semaphoreKeys(name);
        if (state !== 'none') {
          const isOut = state === 'out';
          await raw.set(name, isOut ? 2 : 3);
          if (!isOut) {
            await raw.pexpire(name, IDLE_MS);
          }
          await raw.hset(record, {
            semaphore: `${ID} 3 0 0 1 ${IDLE_MS}`,
            grants: isOut ? '1 1' : '0 1',
            ...(isOut ? { [`${US}:5:1`]: '1 1' } : {}),
          });
          await raw.pexpire(record, IDLE_MS);
          if (isOut) {
            await raw.zadd(requests, 5, `5:1 1 -1 0 ${MARK}`);
            await raw.pexpire(requests, IDLE_MS);
          }
        }
        await run(...semaphoreCalls(name, setting)[i]!);
      }
    }
  }
}

const permitKeys = (semaphore: string) => ({
  semaphore,
  timeouts: `{${semaphore}}:timeout`,
  requests: `redlatch_requests:{${semaphore}}:${US}`,
  queue: `redlatch_waiting:{${semaphore}}`,
  heartbeats: `redlatch_beats:{${semaphore}}`,
  leases: `redlatch_leases:{${semaphore}}`,
  deleted: `redlatch_deleted:{${semaphore}}`,
  statements: `redlatch_statements:{${semaphore}}`,
  twin: [],
});

function permitCalls(name: string, setting: string): Call[] {
  const keys = permitKeys(name);
  const ids = { idle: [IDLE_MS], claim: claim('1'), permit: PERMIT };
  const declared = setting.split(' ')[3] ?? '';
  const args = { ...asked, ...ids, channel: `redisson_sc:{${name}}`, setting, declared };
  const acquire = scripts.expirableSemaphoreAcquire;
  const [renew, update] = [scripts.expirableSemaphoreRenew, scripts.expirableSemaphoreUpdateLease];
  const [resize, set] = [scripts.expirableSemaphoreResize, scripts.expirableSemaphoreTrySet];
  return [
    [acquire, acquire.operands(keys, { ...args, claims: claims(1) })],
    [acquire, acquire.operands(keys, { ...args, claims: claims(9) })],
    [scripts.expirableSemaphoreRelease, scripts.expirableSemaphoreRelease.operands(keys, args)],
    [
      scripts.expirableSemaphoreReleaseAny,
      scripts.expirableSemaphoreReleaseAny.operands(keys, args),
    ],
    [
      renew,
      renew.operands(
        { keys: [keys.semaphore, keys.timeouts, keys.leases] },
        { claims: [claim('90000')] },
      ),
    ],
    [update, update.operands(keys, { ...args, leaseMs: 90_000 })],
    [resize, resize.operands(keys, { ...args, way: 'to', permits: 2 })],
    [resize, resize.operands(keys, { ...args, way: 'by', permits: 1 })],
    [scripts.expirableSemaphoreConfigure, scripts.expirableSemaphoreConfigure.operands(keys, args)],
    [set, set.operands(keys, { ...args, permits: 3, ttlMs: -IDLE_MS })],
  ];
}

async function usePermits({ raw, run }: Place): Promise<void> {
  for (const state of ['none', 'free', 'out'] as const) {
    for (const setting of [`keep 1 3 ${IDLE_MS}`, `set 1 3 ${2 * IDLE_MS}`]) {
      for (let i = 0; i < 10; i += 1) {
        const name = randomName('seats');
        const { timeouts, leases } = permitKeys(name);
        if (state !== 'none') {
          await raw.set(name, state === 'out' ? 2 : 3, 'PX', 2 * IDLE_MS);
          await raw.zadd(leases, 9_007_197_107_257_344 + IDLE_MS, 'idle');
          await raw.pexpire(leases, 2 * IDLE_MS);
        }
        if (state === 'out') {
          await raw.zadd(timeouts, Date.now() + IDLE_MS, PERMIT);
          await raw.pexpire(timeouts, 2 * IDLE_MS);
        }
        await run(...permitCalls(name, i === 9 ? '' : setting)[i]!);
      }
    }
  }
}

export async function idleCalls(place: Place): Promise<void> {
  await useSemaphores(place);
  await usePermits(place);
}
