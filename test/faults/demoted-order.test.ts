// A master that takes no writes for a moment refuses calls: those behind them do not overtake them.

import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';

test('an acquisition behind a forced release stays behind it, though both were refused before', async ({
  onTestFinished,
}) => {
  const server = await ownServer();
  const raw = rawClient(server.url);
  const [mine, others] = [createClient({ redis: server.url }), createClient({ redis: server.url })];
  onTestFinished(async () => {
    await Promise.all([mine.close(), others.close()]);
  });
  const lock = mine.getLock(randomName('demoted'));
  await lock.acquire();
  await lock.forceRelease();
  const refused = (): Promise<boolean> =>
    raw.info('errorstats').then((stats) => /errorstat_READONLY/u.test(stats));

  await raw.call('REPLICAOF', '127.0.0.1', '1');
  const forcing = lock.forceRelease();
  const acquiring = lock.acquire();
  await eventually(refused, { everyMs: 1 });
  await raw.call('REPLICAOF', 'NO', 'ONE');
  await forcing;
  const hold = await acquiring;
  const other = await others.getLock(lock.name).tryAcquire();

  expect([hold.isHeld, other]).toEqual([true, null]);
  await hold.release();
});
