// The scripts of a permit-expirable semaphore, at instants that a test chooses.

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { randomName, rawClient } from '../../support/redis.js';

export const START = 1_700_000_000_000;
export const LEASE_MS = 1_000;
export const ENDS_AT = START + LEASE_MS;

/** One semaphore with two permits, one of which is taken at START. */
export async function stage() {
  const redis = rawClient();
  const semaphore = randomName('instants');
  const keys = {
    semaphore,
    timeouts: `${semaphore}:timeouts`,
    requests: `${semaphore}:requests`,
    queue: `${semaphore}:queue`,
    heartbeats: `${semaphore}:beats`,
    leases: `${semaphore}:leases`,
    deleted: `${semaphore}:deleted`,
    statements: `${semaphore}:statements`,
    twin: [],
  };
  const notice = { publish: 'PUBLISH', channel: `${semaphore}:channel` };
  let number = 0;
  const counted = () => {
    number += 1;
    return { number, lowWater: number, ...notice };
  };
  onTestFinished(async () => {
    await redis.del(Object.values(keys).flat());
  });
  await redis.set(semaphore, 2);
  const permit = randomBytes(16);
  const at = {
    acquire: (atMs: number, id = randomBytes(16), count = 1, client = 'me', mustQueue = 0) => {
      const claims = [Buffer.concat([id, Buffer.from(`${count} ${LEASE_MS}`)])];
      const args = { ...counted(), client, mustQueue, declared: '', claims };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreAcquire, keys, args));
    },
    release: (atMs: number) => {
      const claim = Buffer.concat([permit, Buffer.from('1')]);
      const args = { ...notice, claim, idle: [] };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreRelease, keys, args));
    },
    releaseAny: (atMs: number) => {
      const claim = Buffer.concat([permit, Buffer.from('1')]);
      const args = { ...counted(), claim, idle: [] };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreReleaseAny, keys, args));
    },
    giveBack: (atMs: number, leaves = 0) => {
      const claims = [Buffer.concat([permit, Buffer.from('1')])];
      const args = { ...counted(), client: 'me', leaves, mayRun: 1, claims };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreGiveBack, keys, args));
    },
    renew: (atMs: number, leaseMs: number) => {
      const claims = [Buffer.concat([permit, Buffer.from(String(leaseMs))])];
      const command = commandOf(
        scripts.expirableSemaphoreRenew,
        { keys: [keys.semaphore, keys.timeouts, keys.leases] },
        { claims },
      );
      return runAt(redis, atMs, command);
    },
    updateLease: (atMs: number, leaseMs: number, id = permit) => {
      const args = { ...counted(), permit: id, leaseMs };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreUpdateLease, keys, args));
    },
    delete: (atMs: number) =>
      runAt(redis, atMs, commandOf(scripts.expirableSemaphoreDelete, keys, counted())),
    inspect: (atMs: number) =>
      runAt(redis, atMs, commandOf(scripts.expirableSemaphoreInspect, keys, {})),
    holders: (atMs: number) =>
      runAt(redis, atMs, commandOf(scripts.expirableSemaphoreHolders, keys, {})),
    resize: (atMs: number, permits: number) => {
      const args = { ...counted(), way: 'by', permits, declared: '' };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreResize, keys, args));
    },
    configure: (atMs: number) => {
      const args = { ...counted(), setting: 'keep 2 2' };
      return runAt(redis, atMs, commandOf(scripts.expirableSemaphoreConfigure, keys, args));
    },
  };
  expect(await at.acquire(START, permit)).toBe('1 -1 -1');
  const expiry = async () => Number(await redis.zscore(keys.timeouts, permit));
  const left = async () => Number(await redis.get(semaphore));
  return { redis, keys, permit, at, expiry, left };
}

export type Scene = Awaited<ReturnType<typeof stage>>;
