// Holds with a bound, of locks that a client passes on among its own waiters.

import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type Hold, type Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';

const raw = rawClient();

const kinds: [string, (client: Client, name: string) => Lock][] = [
  ['lock', (client, name) => client.getLock(name)],
  ['fenced lock', (client, name) => client.getFencedLock(name)],
  ['fair lock', (client, name) => client.getFairLock(name)],
  ['write lock', (client, name) => client.getReadWriteLock(name).writeLock],
];

/** The holds of waiters of one client with these bounds, one after the other. */
async function inTurn(
  kind: string,
  of: (client: Client, name: string) => Lock,
  bounds: readonly (number | undefined)[],
): Promise<Hold[]> {
  const client = createClient({ redis: redisUrl(), handOff: 'direct' });
  const name = randomName('bounded-run');
  onTestFinished(async () => {
    await client.close();
    await raw.del(`redisson_lock_token:{${name}}`);
  });
  const lock = of(client, name);
  const first = await lock.acquire();
  const waiting = bounds.map((maxHoldMs) => lock.acquire({ maxHoldMs }));
  if (kind === 'fair lock') {
    // Each of its waiters stands in the queue on the server, which has to know of them.
    const queue = `redisson_lock_queue:{${name}}`;
    await eventually(async () => expect(await raw.llen(queue)).toBe(bounds.length));
  }
  await first.release();
  const holds: Hold[] = [];
  for (const next of waiting) {
    const hold = await next;
    holds.push(hold);
    await hold.release();
  }
  return holds;
}

test.each(kinds)('without a bound they are passed on (%s)', async (kind, of) => {
  // A run is short: on a busy machine it may be over before the next waiter is there.
  await eventually(async () => {
    const holds = await inTurn(kind, of, [undefined, undefined, undefined]);
    return new Set(holds.map(({ holderId }) => holderId)).size < 3;
  });
});

test.each(kinds)('a waiter with a bound is served by the server alone (%s)', async (kind, of) => {
  const [before, bounded] = await inTurn(kind, of, [undefined, 60_000]);

  expect(bounded?.holderId).not.toBe(before?.holderId);
});

test.each(kinds)('a hold with a bound is not passed on (%s)', async (kind, of) => {
  const [bounded, after] = await inTurn(kind, of, [60_000, undefined]);

  expect(after?.holderId).not.toBe(bounded?.holderId);
});
