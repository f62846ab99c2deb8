// A client that closes while it has left a lock to those who stand in no line.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { toldOf } from '../../support/told.js';

const { client, name, raw } = fixture('hand-off-closing');

test('a client that closes while a lock is left to those in no line serves the line before', async () => {
  const lockName = name();
  const tickets = `redlatch_tickets:{${lockName}}`;
  const [first, second] = [client({ handOff: 'strict' }), client({ handOff: 'strict' })];
  const hold = await first.getLock(lockName).acquire();
  // Whoever waits behind it relies on its release, and does not listen to the lock.
  await eventually(async () => (await raw.pubsub('NUMSUB', `redlatch:${first.id}`))[1] === 1);
  const waiting = second.getLock(lockName).acquire();
  await eventually(async () => (await toldOf(lockName, raw)) === 1);
  const now = Date.now();
  // It is time to free it openly.
  await raw.hset(tickets, 'turn', `${now - 2_000} ${now} 3`);

  const start = performance.now();
  await hold.release();
  await first.close();
  const next = await waiting;

  // Its own re-check would come after two seconds.
  expect(performance.now() - start).toBeLessThan(1_000);
  expect(await raw.hexists(tickets, 'back')).toBe(1);
  await next.release();
});
