// The bytes of a permit-expirable semaphore, and life beside Redisson, played by plain commands.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { NotHeldError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { keysUnder } from '../../support/redis.js';

const { client, name, raw } = fixture('permits-wire');

/** Java's word for never. */
const NEVER = '922337203685477';

const timeouts = (semaphore: string): string =>
  semaphore.includes('{') ? `${semaphore}:timeout` : `{${semaphore}}:timeout`;
const channel = (semaphore: string): string =>
  semaphore.includes('{') ? `redisson_sc:${semaphore}` : `redisson_sc:{${semaphore}}`;

async function serverMs(): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Everything told so far: what comes with a message of our own has all come. */
async function upTo(semaphore: string, payloads: string[]): Promise<string[]> {
  await raw.publish(channel(semaphore), '777');
  await eventually(() => payloads.includes('777'));
  return payloads.splice(0).filter((payload) => payload !== '777');
}

test.each([['plain'], ['tagged']])('what is left and who has what, by a %s name', async (kind) => {
  const base = name();
  const semaphore = client().getPermitExpirableSemaphore(kind === 'tagged' ? `a:{${base}}` : base);
  await semaphore.trySetPermits(5);
  const before = await serverMs();

  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  const many = await semaphore.acquireMany(3, { leaseMs: 70_000 });

  const after = await serverMs();
  expect(await raw.get(semaphore.name)).toBe('1');
  const entries = await raw.zrangeBuffer(timeouts(semaphore.name), '0', '-1', 'WITHSCORES');
  const members = entries.filter((_, i) => i % 2 === 0);
  const scores = entries.filter((_, i) => i % 2 === 1).map(String);
  expect(members.map((member) => member.length)).toEqual([16, 16, 16, 16]);
  expect(members[0]?.toString('hex')).toBe(permit.id);
  expect(new Set(members.slice(1).map((each) => each.toString('hex')))).toEqual(
    new Set(many.map(({ id }) => id)),
  );
  expect(scores.every((score) => /^\d{13}$/.test(score))).toBe(true);
  expect(Number(scores[0])).toBeGreaterThanOrEqual(before + 60_000);
  expect(Number(scores[0])).toBeLessThanOrEqual(after + 60_000);
  await semaphore.delete();
  expect(await raw.exists(semaphore.name, timeouts(semaphore.name))).toBe(0);
});

test('P7, S4: what is told is what is available, and 0 only by what makes a semaphore', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  const payloads = await messagesOn(channel(semaphore.name));
  const history: string[][] = [];
  const note = async (): Promise<number> => history.push(await upTo(semaphore.name, payloads));

  await semaphore.trySetPermits(4);
  await note();
  const permits = await semaphore.acquireMany(4);
  await note();
  await permits[0]!.release();
  await permits[1]!.release();
  await note();
  await semaphore.addPermits(3);
  await semaphore.addPermits(-6);
  await note();
  await semaphore.release(permits[2]!.id);
  await permits[3]!.release();
  await note();
  await semaphore.setPermits(9);
  await semaphore.setPermits(9);
  await semaphore.setPermits(2);
  await semaphore.delete();
  await semaphore.trySetPermits(0);
  await note();

  expect(history).toEqual([['4'], [], ['1', '2'], ['5'], ['1'], ['9', '0']]);
  await semaphore.delete();
});

test('P7: a call that returns expired permits tells what is available then', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.setPermits(0);
  const past = String((await serverMs()) - 1_000);
  const expired = Array.from({ length: 3 }, () => [past, randomBytes(16)]).flat();
  await raw.zadd(timeouts(semaphore.name), ...(expired as [string, Buffer]));
  const payloads = await messagesOn(channel(semaphore.name));

  await semaphore.acquire();

  expect(await upTo(semaphore.name, payloads)).toEqual(['2']);
  expect(await raw.get(semaphore.name)).toBe('2');
  await semaphore.delete();
});

test('a permit of Java that never expires counts, stays, and is released by its hex form', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);
  const id = randomBytes(16);
  await raw.decr(semaphore.name);
  await raw.zadd(timeouts(semaphore.name), NEVER, id);

  const counts = [
    await semaphore.totalPermits(),
    await semaphore.availablePermits(),
    await semaphore.acquiredPermits(),
  ];
  const mine = await semaphore.acquire();
  const refused = await semaphore.tryAcquire();
  const score = await raw.zscore(timeouts(semaphore.name), id);
  const released = await semaphore.tryRelease(id.toString('hex'));

  expect(counts).toEqual([2, 1, 1]);
  expect(refused).toBe(null);
  expect(score).toBe(NEVER);
  expect(released).toBe(true);
  expect(await semaphore.availablePermits()).toBe(1);
  await mine.release();
  await semaphore.delete();
});

test('the permits that are taken are listed by their hex form with what is left to them', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(120);
  const id = Buffer.from('000a5c7f80ff25000a5c7f80ff250d0a', 'hex');
  await raw.decr(semaphore.name);
  await raw.zadd(timeouts(semaphore.name), NEVER, id);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  const { source } = scripts.expirableSemaphoreHolders;

  const two = String(await raw.eval(source, 1, timeouts(semaphore.name))).split(' ');
  await semaphore.acquireMany(118, { leaseMs: 70_000 });
  const many = String(await raw.eval(source, 1, timeouts(semaphore.name))).split(' ');

  expect([two[0], two[2], two[3]]).toEqual([permit.id, id.toString('hex'), '-1']);
  expect(Number(two[1])).toBeGreaterThan(50_000);
  expect(many).toHaveLength(200);
  await semaphore.delete();
});

test('a permit that Java has released is gone for its holder here', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire();

  await raw.zrem(timeouts(semaphore.name), Buffer.from(permit.id, 'hex'));
  await raw.incr(semaphore.name);

  expect(await rejection(permit.release())).toMatchObject({
    code: 'ERR_LEASE_LOST',
    reason: 'deleted',
  });
  expect(await semaphore.availablePermits()).toBe(1);
  await semaphore.delete();
});

test('a waiter gets in by the message of a release that Java made', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const id = randomBytes(16);
  await raw.decr(semaphore.name);
  await raw.zadd(timeouts(semaphore.name), NEVER, id);
  const waiting = semaphore.acquire({ waitMs: 4_000 });
  await eventually(async () => (await raw.pubsub('NUMSUB', channel(semaphore.name)))[1] === 1);

  await raw.zrem(timeouts(semaphore.name), id);
  await raw.publish(channel(semaphore.name), String(await raw.incr(semaphore.name)));

  expect((await waiting).isHeld).toBe(true);
  await semaphore.delete();
});

test('P8, S5: permits live as long as their semaphore, and every change keeps its life', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  const ttls = async (): Promise<number[]> =>
    await Promise.all([raw.pttl(semaphore.name), raw.pttl(timeouts(semaphore.name))]);
  const history: number[][] = [];
  await semaphore.trySetPermits(5, { ttlMs: 60_000 });

  const [a, b] = await semaphore.acquireMany(2);
  history.push(await ttls());
  await raw.pexpire(semaphore.name, 50_000);
  await a!.extend(40_000);
  history.push(await ttls());
  await raw.pexpire(semaphore.name, 40_000);
  await semaphore.updateLease(b!.id, 90_000);
  history.push(await ttls());
  await semaphore.addPermits(3);
  await semaphore.setPermits(4);
  await a!.release();
  history.push(await ttls());

  for (const [i, most] of [60_000, 50_000, 40_000, 40_000].entries()) {
    for (const ttl of history[i] ?? []) {
      expect(ttl).toBeGreaterThan(most - 5_000);
      expect(ttl).toBeLessThanOrEqual(most);
    }
  }
  await raw.pexpire(semaphore.name, 1);
  await eventually(async () => (await raw.exists(semaphore.name)) === 0);
  expect(await rejection(semaphore.release('ab'.repeat(16)))).toBeInstanceOf(NotHeldError);
  expect([await semaphore.totalPermits(), await semaphore.acquiredPermits()]).toEqual([0, 0]);
  expect(await semaphore.trySetPermits(3)).toBe(true);
  expect(await semaphore.totalPermits()).toBe(3);
  await semaphore.delete();
});

test('private keys have our prefix, the slot of the semaphore, and an end', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  await semaphore.acquire();

  const keys = (await keysUnder(semaphore.name, raw)).filter((key) => key.startsWith('redlatch_'));
  const ttls = await Promise.all(keys.map((key) => raw.pttl(key)));

  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !key.includes(`{${semaphore.name}}`))).toEqual([]);
  expect(Math.min(...ttls)).toBeGreaterThan(0);
  // The record of the leases; all others live for half an hour at most.
  expect(Math.max(...ttls)).toBeLessThanOrEqual(2_592_000_000);
  await semaphore.delete();
});
