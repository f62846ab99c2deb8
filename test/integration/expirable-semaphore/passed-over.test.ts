// A big request that others pass: for long, but not for ever.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { skippingClock } from '../../support/skipping-clock.js';

const { client, name, raw } = fixture('permits-passed');

/** A request that was passed over for so long takes a place in line. */
const PASSED_OVER_MS = 5_000;

test('S7: others stand back for a request that was passed over for 5 s', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  const line = `redlatch_waiting:{${semaphore.name}}`;
  await semaphore.trySetPermits(4);
  const held = await semaphore.acquireMany(4);
  const clock = skippingClock();
  const patient = client({ commandTimeoutMs: 60_000 }, clock);
  const big = patient.getPermitExpirableSemaphore(semaphore.name).acquireMany(3);
  await eventually(
    async () => (await raw.pubsub('NUMSUB', `redisson_sc:{${semaphore.name}}`))[1] === 1,
  );
  await held[0]!.release();
  await held[1]!.release();

  const passing = await semaphore.tryAcquire();
  await passing?.release();
  clock.skip(PASSED_OVER_MS);
  await eventually(async () => (await raw.exists(line)) === 1);
  const refused = await semaphore.tryAcquire();
  const available = await semaphore.availablePermits();
  const small = semaphore.acquire({ waitMs: 4_000 });
  const messages = await messagesOn(`redisson_sc:{${semaphore.name}}`);
  await held[2]!.release();
  const permits = await big;
  await eventually(() => messages.includes('0'));
  await permits[0]!.release();

  // Who stood back was told, though nothing was left: it has another expiry to wait for.
  expect(passing).not.toBe(null);
  expect([refused, available]).toEqual([null, 2]);
  expect(await raw.zscore(line, patient.id)).toBe(null);
  expect((await small).isHeld).toBe(true);
  await semaphore.delete();
});
