import { afterAll, expect, test } from 'vitest';
import { LeaseLostError, type ClientEvents } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

type Payload<E extends keyof ClientEvents> = Parameters<ClientEvents[E]>[0];

const scope = testScope('events');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('a grant tells acquired and a release tells released, once each', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const acquired: Payload<'acquired'>[] = [];
  const released: Payload<'released'>[] = [];
  client.on('acquired', (event) => acquired.push(event));
  client.on('released', (event) => released.push(event));

  const hold = await lock.acquire();
  await hold.release();
  await hold.release();

  const about = { resource: lock.name, kind: 'lock', holderId: hold.holderId };
  expect(acquired).toEqual([{ ...about, waitedMs: expect.any(Number) as number }]);
  expect(released).toEqual([{ ...about, heldMs: expect.any(Number) as number }]);
  expect(Number.isInteger(acquired[0]?.waitedMs)).toBe(true);
  expect(Number.isInteger(released[0]?.heldMs)).toBe(true);
});

test('waitedMs says how long the grant took, heldMs how long it was held', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const name = scope.name();
  const times: number[] = [];
  client.on('acquired', ({ waitedMs }) => times.push(waitedMs));
  client.on('released', ({ heldMs }) => times.push(heldMs));
  await other.getLock(name).acquire({ leaseMs: 700 });

  const hold = await client.getLock(name).acquire();
  await eventually(() => hold.remainingMs < 29_500);
  await hold.release();

  expect(times[0]).toBeGreaterThanOrEqual(100);
  expect(times[1]).toBeGreaterThanOrEqual(100);
});

test('each re-entry is told as a grant and a release of its own', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const told: string[] = [];
  client.on('acquired', ({ holderId }) => told.push(`+${holderId}`));
  client.on('released', ({ holderId }) => told.push(`-${holderId}`));

  const holderId = await lock.using(async (hold) => {
    await lock.using(() => undefined);
    return hold.holderId;
  });

  expect(told).toEqual(['+', '+', '-', '-'].map((sign) => `${sign}${holderId}`));
});

test('lost is told once for each hold, re-entries included, and released is not', async () => {
  const client = scope.client({ leaseMs: 900 });
  const lock = client.getLock(scope.name());
  const lost: Payload<'lost'>[] = [];
  let released = 0;
  client.on('lost', (event) => lost.push(event));
  client.on('released', () => {
    released += 1;
  });
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer });

  await raw.del(lock.name);
  await eventually(() => lost.length >= 2);
  for (const hold of [inner, outer]) {
    await expect(hold.release()).rejects.toThrow(LeaseLostError);
    await expect(hold.release()).rejects.toThrow(LeaseLostError);
    await hold[Symbol.asyncDispose]();
  }

  const about = { resource: lock.name, kind: 'lock', holderId: outer.holderId };
  expect(lost).toMatchObject([about, about]);
  expect(lost.map(({ error }) => [error.code, error.reason, error.resource])).toEqual([
    ['ERR_LEASE_LOST', 'deleted', lock.name],
    ['ERR_LEASE_LOST', 'deleted', lock.name],
  ]);
  expect(lost[0]?.error).toBe(outer.signal.reason);
  expect(released).toBe(0);
});

test('a hold that somebody else took over is lost with that reason', async () => {
  const client = scope.client({ leaseMs: 900 });
  const lock = client.getLock(scope.name());
  const reasons: string[] = [];
  client.on('lost', ({ error }) => reasons.push(error.reason));
  const hold = await lock.acquire();

  await raw
    .multi()
    .del(lock.name)
    .hset(lock.name, 'somebody:1', '1')
    .pexpire(lock.name, 5_000)
    .exec();
  await eventually(() => reasons.length > 0);

  expect(reasons).toEqual(['taken']);
  expect([hold.state, hold.isHeld, hold.signal.aborted]).toEqual(['lost', false, true]);
  await raw.del(lock.name);
});

test('a fixed lease that runs out is told as expired', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const reasons: string[] = [];
  client.on('lost', ({ error }) => reasons.push(error.reason));
  const hold = await lock.acquire({ leaseMs: 100 });

  await eventually(() => reasons.length > 0);

  expect(reasons).toEqual(['expired']);
  expect(hold.isHeld).toBe(false);
});

test('a loss found at a release is told once, to that hold and to all others on its lease', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const lost: string[] = [];
  client.on('lost', ({ holderId }) => lost.push(holderId));
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer });
  await raw.del(lock.name);

  await expect(inner.release()).rejects.toThrow(LeaseLostError);

  expect([inner.state, inner.isHeld]).toEqual(['lost', false]);
  expect([outer.state, outer.isHeld]).toEqual(['lost', false]);
  expect(lost).toEqual([outer.holderId, outer.holderId]);
});

test('a clean release, and a closing, tell no loss', async () => {
  const client = scope.client({ leaseMs: 600 });
  const lost: unknown[] = [];
  client.on('lost', (event) => lost.push(event));
  const hold = await client.getLock(scope.name()).acquire();
  await client.getLock(scope.name()).acquire();
  const fixed = await client.getLock(scope.name()).acquire({ leaseMs: 700 });
  const later = await scope.client().getLock(scope.name()).acquire({ leaseMs: 900 });

  await hold.release();
  await client.close();
  // A hold of somebody else tells when the time of all these leases is over.
  await eventually(() => later.state === 'lost');

  expect(lost).toEqual([]);
  expect(fixed.state).toBe('released');
});

test('a hold whose connection breaks is suspect, and held again when it is back', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url, leaseMs: 5_000 });
  const lock = client.getLock(scope.name());
  const suspect: Payload<'suspect'>[] = [];
  client.on('suspect', (event) => suspect.push(event));
  const hold = await lock.acquire();

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => hold.state === 'suspect');
  const isHeldMeanwhile = hold.isHeld;
  await proxy.accept();
  await eventually(() => hold.state === 'held');

  const about = { resource: lock.name, kind: 'lock', holderId: hold.holderId };
  expect(suspect).toMatchObject([about]);
  expect(suspect[0]?.remainingMs).toBeGreaterThan(0);
  expect(suspect[0]?.remainingMs).toBeLessThanOrEqual(5_000);
  expect(suspect[0]?.cause).toBeInstanceOf(Error);
  expect(isHeldMeanwhile).toBe(true);
  await hold.release();
});

test('a hold that stays out of reach is suspect, then lost as unproven', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url, leaseMs: 900 });
  const lock = client.getLock(scope.name());
  const told: string[] = [];
  client.on('suspect', () => told.push('suspect'));
  client.on('lost', ({ error }) => told.push(error.reason));
  const hold = await lock.acquire();

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => hold.state === 'lost');
  await proxy.accept();

  expect(told).toEqual(['suspect', 'unproven']);
  await eventually(async () => (await raw.exists(lock.name)) === 0);
  expect(hold.state).toBe('lost');
});

test('an outage is told as an error event, and nothing is thrown when nobody listens', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, deaf] = [scope.client({ redis: proxy.url }), scope.client({ redis: proxy.url })];
  const errors: unknown[] = [];
  client.on('error', ({ error }) => errors.push(error));
  await Promise.all([client, deaf].map((one) => one.getLock(scope.name()).isLocked()));

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => errors.length > 0);
  await proxy.accept();

  expect(errors[0]).toBeInstanceOf(Error);
  expect(await deaf.getLock(scope.name()).isLocked()).toBe(false);
});
