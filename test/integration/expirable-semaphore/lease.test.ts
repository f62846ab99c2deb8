// Changing the lease of a permit: nothing told of it is ever more than the server grants.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { LeaseLostError, NotHeldError, OutcomeUnknownError } from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { cutReply, keepUnderWay, sendsCommands } from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';

const { client, name, raw } = fixture('permits-lease');

async function serverMs(): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Milliseconds that the server still grants to a permit; null when it has none. */
async function grantedMs(semaphore: string, id: string): Promise<number | null> {
  const score = await raw.zscore(`{${semaphore}}:timeout`, Buffer.from(id, 'hex'));
  return score === null ? null : Number(score) - (await serverMs());
}

test('extend lengthens a lease and never shortens it', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 1_000 });

  await permit.extend(60_000);
  const longer = permit.remainingMs;
  await permit.extend(500);

  expect(longer).toBeGreaterThan(50_000);
  expect(permit.remainingMs).toBeGreaterThan(50_000);
  expect(await grantedMs(semaphore.name, permit.id)).toBeGreaterThan(59_000);
  await permit.release();
  expect(await rejection(permit.extend(1_000))).toBeInstanceOf(NotHeldError);
  await semaphore.delete();
});

test('extending a permit that is gone is a loss', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  await raw.zrem(`{${semaphore.name}}:timeout`, Buffer.from(permit.id, 'hex'));

  const error = await rejection(permit.extend(1_000));

  expect(error).toBeInstanceOf(LeaseLostError);
  expect(permit.state).toBe('lost');
  await semaphore.delete();
});

test('updateLease sets an earlier end as well as a later one, and what is told follows', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });

  const shorter = semaphore.updateLease(permit.id, 5_000);
  const pending = permit.remainingMs;
  const answers = [await shorter];
  const short = [permit.remainingMs, await grantedMs(semaphore.name, permit.id)];
  answers.push(await semaphore.updateLease(permit.id, 30_000));
  const long = [permit.remainingMs, await grantedMs(semaphore.name, permit.id)];

  expect(answers).toEqual([true, true]);
  expect(pending).toBeLessThanOrEqual(5_000);
  for (const [ms, least, most] of [
    [short[0], 4_000, 5_000],
    [short[1], 4_000, 5_000],
    [long[0], 29_000, 30_000],
    [long[1], 29_000, 30_000],
  ] as const) {
    expect(ms).toBeGreaterThan(least);
    expect(ms).toBeLessThanOrEqual(most);
  }
  await semaphore.delete();
});

test('a permit whose end was set is not renewed any more, and its loss is told in time', async () => {
  const semaphore = client({ leaseMs: 900 }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire();
  const waiting = client().getPermitExpirableSemaphore(semaphore.name).acquire({ waitMs: 4_000 });
  await eventually(
    async () => (await raw.pubsub('NUMSUB', `redisson_sc:{${semaphore.name}}`))[1] === 1,
  );

  await semaphore.updateLease(permit.id, 500);
  const start = performance.now();
  const next = await waiting;

  expect(next.isHeld).toBe(true);
  expect(performance.now() - start).toBeGreaterThan(450);
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(permit.signal.reason).toMatchObject({ reason: 'expired' });
  await semaphore.delete();
});

test('an earlier end is told to those who wait, who get in by it', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const id = randomBytes(16);
  await raw.decr(semaphore.name);
  await raw.zadd(`{${semaphore.name}}:timeout`, '922337203685477', id);
  const start = performance.now();
  const waiting = client().getPermitExpirableSemaphore(semaphore.name).acquire({ waitMs: 10_000 });
  await eventually(
    async () => (await raw.pubsub('NUMSUB', `redisson_sc:{${semaphore.name}}`))[1] === 1,
  );

  const answer = await semaphore.updateLease(id.toString('hex'), 100);
  await waiting;

  expect(answer).toBe(true);
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(await semaphore.updateLease(id.toString('hex'), 100)).toBe(false);
  await semaphore.delete();
});

test('updateLease of an unknown, released or expired permit is false', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);
  const [released, expired] = await semaphore.acquireMany(2, { leaseMs: 100 });
  await released!.release();
  await eventually(() => expired!.state === 'lost');
  await eventually(async () => (await semaphore.acquiredPermits()) === 0);

  const answers = [
    await semaphore.updateLease('ab'.repeat(16), 1_000),
    await semaphore.updateLease(released!.id, 1_000),
    await semaphore.updateLease(expired!.id, 1_000),
  ];

  expect(answers).toEqual([false, false, false]);
  await semaphore.delete();
});

test('S9: an update that arrives late does not set the end again', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const one = client({ redis: proxy.url });
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  const late = keepUnderWay(proxy, scripts.expirableSemaphoreUpdateLease);

  const updating = semaphore.updateLease(permit.id, 2_000);
  await late.sent();
  proxy.cutAll(sendsCommands);
  expect(await updating).toBe(true);
  await semaphore.updateLease(permit.id, 50_000);
  await late.deliver();

  expect(await grantedMs(semaphore.name, permit.id)).toBeGreaterThan(40_000);
  expect(permit.remainingMs).toBeGreaterThan(40_000);
  await semaphore.delete();
});

test('S9: an update without an answer counts as made and as not made until it is settled', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const one = client({ redis: proxy.url, commandTimeoutMs: 400 });
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  const answers = cutReply(proxy, scripts.expirableSemaphoreUpdateLease);

  const failing = rejection(semaphore.updateLease(permit.id, 1_500));
  await answers.ran();
  const error = await failing;
  const told = permit.remainingMs;
  await answers.replay();

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(told).toBeLessThan(1_500);
  expect(permit.isHeld).toBe(true);
  await permit.release();
  await semaphore.delete();
});
