// updateLease on a bad line: what is told of a permit stays true, and what nobody has is free.

import { expect, test } from 'vitest';
import {
  CommandTimeoutError,
  OutcomeUnknownError,
  type ClientOptions,
  type Permit,
  type PermitExpirableSemaphore,
} from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { keepUnderWay, sendsCommands } from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';

const { client, name, raw } = fixture('permits-update');

const HOUR_MS = 3_600_000;

interface Stage {
  readonly proxy: Proxy;
  readonly semaphore: PermitExpirableSemaphore;
}

/** A semaphore of one permit that only its owner sees through the proxy. */
async function stage(options: ClientOptions = {}): Promise<Stage> {
  const proxy = await startProxy({ target: redisUrl() });
  const one = client({ redis: proxy.url, ...options });
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  return { proxy, semaphore };
}

/** Runs an update whose answer does not come in time. */
async function failUnknown(
  { proxy, semaphore }: Stage,
  permit: Permit,
  leaseMs: number,
): Promise<void> {
  proxy.pauseDownstream();
  const error = await rejection(semaphore.updateLease(permit.id, leaseMs));
  proxy.resumeDownstream();
  expect(error).toBeInstanceOf(OutcomeUnknownError);
}

async function isFree({ name: key }: PermitExpirableSemaphore): Promise<boolean> {
  return (await raw.get(key)) === '1' && (await raw.zcard(`{${key}}:timeout`)) === 0;
}

test('an update answered after the old lease has ended is false, and the permit is free', async () => {
  const { proxy, semaphore } = await stage();
  const permit = await semaphore.acquire({ leaseMs: 400 });

  proxy.pauseDownstream();
  const updating = semaphore.updateLease(permit.id, HOUR_MS);
  await eventually(() => permit.state === 'lost');
  proxy.resumeDownstream();
  const answer = await updating;

  expect(answer).toBe(false);
  await eventually(async () => await isFree(semaphore));
  await semaphore.delete();
});

test('a permit whose new end passes before the update is sent is unproven, and freed', async () => {
  const { proxy, semaphore } = await stage({ commandTimeoutMs: 500 });
  const permit = await semaphore.acquire({ leaseMs: HOUR_MS });

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => permit.state === 'suspect');
  const error = await rejection(semaphore.updateLease(permit.id, 200));
  await proxy.accept();

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(permit.signal.reason).toMatchObject({ reason: 'unproven' });
  await eventually(async () => await isFree(semaphore));
  await semaphore.delete();
});

test('an update that was made after all sets the end, and an extension after it counts', async () => {
  const world = await stage({ commandTimeoutMs: 300 });
  const { semaphore } = world;
  const permit = await semaphore.acquire();
  await failUnknown(world, permit, 1_500);
  const told = permit.remainingMs;

  await eventually(async () => {
    await permit.extend(HOUR_MS);
    return permit.remainingMs > HOUR_MS / 2;
  });

  expect(told).toBeLessThan(1_500);
  expect(permit.isHeld).toBe(true);
  await permit.release();
  await semaphore.delete();
});

test('an update that was made after all may set a later end', async () => {
  const world = await stage({ commandTimeoutMs: 300 });
  const { semaphore } = world;
  const permit = await semaphore.acquire({ leaseMs: 5_000 });

  await failUnknown(world, permit, HOUR_MS);

  await eventually(() => permit.remainingMs > HOUR_MS / 2);
  await permit.release();
  await semaphore.delete();
});

test('an update that was never made leaves the permit as it was, and renewed', async () => {
  const { proxy, semaphore } = await stage({ commandTimeoutMs: 400, leaseMs: 1_800 });
  const permit = await semaphore.acquire();
  const late = keepUnderWay(proxy, scripts.expirableSemaphoreUpdateLease);

  const updating = rejection(semaphore.updateLease(permit.id, 60_000));
  await late.sent();
  proxy.refuse();
  proxy.cutAll(sendsCommands);
  expect(await updating).toBeInstanceOf(OutcomeUnknownError);
  await proxy.accept();
  await eventually(() => permit.remainingMs > 1_500);
  await late.deliver();
  const until = performance.now() + 2_000;
  await eventually(() => performance.now() > until || !permit.isHeld);

  expect(permit.state).toBe('held');
  await permit.release();
  await semaphore.delete();
});

test('updates that all fail unsent leave the permit renewed', async () => {
  const { proxy, semaphore } = await stage({ commandTimeoutMs: 400, leaseMs: 1_500 });
  const permit = await semaphore.acquire();
  proxy.refuse();
  proxy.cutAll();
  await eventually(() => permit.state === 'suspect');

  const updates = [1, 2].map(async () => await rejection(semaphore.updateLease(permit.id, 60_000)));
  const errors = await Promise.all(updates);
  await proxy.accept();
  const until = performance.now() + 2_000;
  await eventually(() => performance.now() > until || !permit.isHeld);

  expect(errors.every((error) => error instanceof CommandTimeoutError)).toBe(true);
  expect(permit.state).toBe('held');
  await permit.release();
  await semaphore.delete();
});

test('a renewal that is still on its way when the end is set leaves nothing behind', async () => {
  const { proxy, semaphore } = await stage({ leaseMs: 900 });
  const permit = await semaphore.acquire();
  const late = keepUnderWay(proxy, scripts.expirableSemaphoreRenew);

  await late.sent();
  proxy.cutAll(sendsCommands);
  expect(await semaphore.updateLease(permit.id, 600)).toBe(true);
  await eventually(() => permit.remainingMs < 200);
  await late.deliver();
  await eventually(() => permit.state === 'lost');

  await eventually(async () => await isFree(semaphore), { withinMs: 300 });
  await semaphore.delete();
});

test('an end that another client has set sooner is told when it has come', async () => {
  const owner = client({ leaseMs: 60_000 }).getPermitExpirableSemaphore(name());
  await owner.trySetPermits(1);
  const other = client().getPermitExpirableSemaphore(owner.name);
  const permit = await owner.acquire({ leaseMs: 60_000 });

  expect(await other.updateLease(permit.id, 400)).toBe(true);
  await using next = await other.acquire({ waitMs: 4_000 });
  await eventually(() => permit.state === 'lost');

  expect(permit.signal.reason).toMatchObject({ reason: 'expired' });
  expect(next.isHeld).toBe(true);
  await owner.delete();
});

test('so is that of a permit which its client renews, and would renew again much later', async () => {
  const owner = client({ leaseMs: 60_000 }).getPermitExpirableSemaphore(name());
  await owner.trySetPermits(1);
  const permit = await owner.acquire();

  const other = client().getPermitExpirableSemaphore(owner.name);
  expect(await other.updateLease(permit.id, 300)).toBe(true);
  await eventually(() => permit.remainingMs <= 300);
  expect(permit.state).toBe('held');
  await eventually(() => permit.state === 'lost');

  expect(permit.signal.reason).toMatchObject({ reason: 'expired' });
  await owner.delete();
});

test('a semaphore that another client deleted takes its permits with it at once', async () => {
  const owner = client({ leaseMs: 60_000 }).getPermitExpirableSemaphore(name());
  await owner.trySetPermits(3);
  const [one, two] = await owner.acquireMany(2);

  await client().getPermitExpirableSemaphore(owner.name).delete();
  await eventually(() => one?.state === 'lost' && two?.state === 'lost');

  expect(two?.signal.reason).toMatchObject({ reason: 'deleted' });
});

test('a permit that another client released by its id is told at once', async () => {
  const owner = client({ leaseMs: 60_000 }).getPermitExpirableSemaphore(name());
  await owner.trySetPermits(1);
  const other = client().getPermitExpirableSemaphore(owner.name);
  const permit = await owner.acquire();

  await other.release(permit.id);
  await using next = await other.acquire({ waitMs: 4_000 });
  await eventually(() => permit.state === 'lost');

  expect(permit.signal.reason).toMatchObject({ reason: 'deleted' });
  expect(next.isHeld).toBe(true);
  await owner.delete();
});
