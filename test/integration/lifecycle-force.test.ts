import { afterAll, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('force');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^latchkey_(?:cancelled|requests):/] });
  await expectNoChannels(scope.prefix);
});

test('a forced release ends the holds it found here at once', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer });

  const answer = await lock.forceRelease();

  expect(answer).toBe(true);
  expect([outer.isHeld, inner.isHeld]).toEqual([false, false]);
  await expect(outer.release()).rejects.toThrow(LeaseLostError);
  expect(await lock.forceRelease()).toBe(false);
});

test('a forced release elsewhere ends the hold with its next renewal', async () => {
  const client = scope.client({ leaseMs: 300 });
  const hold = await client.getLock(scope.name()).acquire();

  await scope.client().getLock(hold.lockName).forceRelease();

  await eventually(() => hold.state === 'lost');
  expect(hold.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'deleted' });
});

test('a forced release never ends the hold that was granted after it', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  const lost: string[] = [];
  client.on('lost', ({ holderId }) => lost.push(holderId));
  await scope.client().getLock(lock.name).acquire();
  await lock.isLocked();

  // Sent together, in this order: both answers come in one piece.
  const [forced, hold] = await Promise.all([lock.forceRelease(), lock.acquire()]);

  expect(forced).toBe(true);
  expect(await raw.hgetall(lock.name)).toEqual({ [hold.holderId]: '1' });
  expect([hold.state, lost]).toEqual(['held', []]);
  await hold.release();
  expect(await raw.exists(lock.name)).toBe(0);
});
