// What one renewal round owes to each of its leases, whatever became of the others.

import { afterAll, expect, test } from 'vitest';
import { LeaseLostError, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const LEASE_MS = 450;

const scope = testScope('renewal');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_cancelled:/] });
});

/** Names of the locks whose loss a client tells from now on. */
function lossesOf(client: Client): string[] {
  const lost: string[] = [];
  client.on('lost', ({ resource }) => lost.push(resource));
  return lost;
}

/** Waits until leases would have run out several times, had nobody renewed them. */
async function outlive(leases: number): Promise<void> {
  const end = performance.now() + leases * LEASE_MS;
  await eventually(() => performance.now() > end);
}

test('a key overwritten with another type costs the other holds of its round nothing', async () => {
  const client = scope.client({ leaseMs: LEASE_MS });
  const lost = lossesOf(client);
  const holds = await Promise.all(
    Array.from({ length: 9 }, async () => await client.getLock(scope.name()).acquire()),
  );
  const [first, middle, last] = [0, 4, 8].map((at) => holds[at]?.lockName ?? '');

  await raw.set(first ?? '', 'somebody else');
  await raw
    .multi()
    .del(middle ?? '')
    .rpush(middle ?? '', 'x')
    .exec();
  await raw
    .multi()
    .del(last ?? '')
    .sadd(last ?? '', 'x')
    .exec();
  await eventually(() => lost.length === 3);
  await outlive(3);

  expect(new Set(lost)).toEqual(new Set([first, middle, last]));
  const others = holds.filter(({ lockName }) => !lost.includes(lockName));
  expect(others.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'held'));
  expect(await raw.exists(...others.map(({ lockName }) => lockName))).toBe(6);
  await raw.del(...lost);
});

test('a hold that follows several stale ones of its lock is renewed like any other', async () => {
  const client = scope.client({ leaseMs: LEASE_MS });
  const lock = client.getLock(scope.name());
  const stale = [];
  for (let i = 0; i < 4; i += 1) {
    stale.push(await lock.acquire());
    // Gone without a word, and its holder does not release.
    await raw.del(lock.name);
  }

  const real = await lock.acquire();
  await outlive(3);
  const releases = await Promise.allSettled(stale.map(async (hold) => await hold.release()));

  expect(real.state).toBe('held');
  expect(await raw.hgetall(lock.name)).toEqual({ [real.holderId]: '1' });
  expect(stale.map(({ state }) => state)).toEqual(['lost', 'lost', 'lost', 'lost']);
  const reasons = releases.map((each) => each.status === 'rejected' && (each.reason as Error));
  expect(reasons.every((reason) => reason instanceof LeaseLostError)).toBe(true);
  await real.release();
});
