// One semaphore for each tenant or address does not fill the server: each has its end when nobody uses it.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder, keysUnder } from '../../support/redis.js';
import { kinds } from '../told-permits/world.js';

const { client, name, raw, prefix } = fixture('idle');

const NAMES = 300;
const IDLE_MS = 20_000;
const isRequest = (key: string): boolean => key.startsWith('redlatch_requests:');
/** The answers of a client's calls are known for so long after the last one. */
const RECORD_MS = 1_800_000;

test.each(kinds)('of 300 names with an idleMs each key has its end: $kind', async (kind) => {
  const own = client();
  const permits = { count: 1, idleMs: IDLE_MS };
  const names = Array.from({ length: NAMES }, () => name());

  await Promise.all(
    names.map(async (each) => {
      const back = await kind.take(own, each, permits);
      const isRefused = (await kind.take(own, each, permits)) === null;
      // A waiter is handed the permit.
      const waiting = kind.wait(own, each, 5_000, permits);
      await back!();
      const handed = (await waiting) as { release(): Promise<void> };
      await handed.release();
      expect(isRefused).toBe(true);
    }),
  );
  const keys = await keysUnder(prefix, raw);
  const ends = await Promise.all(keys.map(async (key) => [key, await raw.pttl(key)] as const));
  const endless = ends.filter(
    ([key, ms]) => ms === -1 || ms > (isRequest(key) ? RECORD_MS : 600_000),
  );
  const latest = Math.max(...ends.filter(([key]) => !isRequest(key)).map(([, ms]) => ms));

  expect(endless).toEqual([]);
  // The record of a semaphore outlives it by a second; nobody has waited in line.
  expect(latest).toBeLessThanOrEqual(IDLE_MS + 1_000);
  await Promise.all(
    keys.filter((key) => !isRequest(key)).map(async (key) => await raw.unlink(key)),
  );
  // No channel outlives its waiter.
  await eventually(async () => (await channelsUnder(prefix, raw)).length === 0);
});

test('what is known of a semaphore whose permits are drained does not end', async () => {
  const id = name();
  const semaphore = client().getSemaphore(id, { permits: { count: 2, idleMs: IDLE_MS } });
  await (await semaphore.acquire()).release();

  expect(await semaphore.drainPermits()).toBe(2);

  expect(await raw.pttl(id)).toBe(-1);
  expect(await raw.pttl(`redlatch_permits:{${id}}`)).toBeGreaterThan(86_400_000);
  await raw.del(...(await raw.keys(`*${id}*`)));
});
