// Connecting takes several round trips: a limit for one answer is no limit for that.

import { expect, test } from 'vitest';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import { createClient } from '../../src/index.js';
import { faultWorlds } from './world.js';

const open = faultWorlds('slow');

const ONE_WAY_MS = 60;
/** More than a round trip, less than connecting takes. */
const TIMEOUT_MS = 200;

test('a link whose round trip is just shorter than commandTimeoutMs still works', async (context) => {
  const { name } = await open(context);
  const proxy = await startProxy({ target: redisUrl() });
  proxy.delay({ upMs: ONE_WAY_MS, downMs: ONE_WAY_MS });
  const client = createClient({ redis: proxy.url, commandTimeoutMs: TIMEOUT_MS });
  context.onTestFinished(async () => {
    await client.close();
  });
  const startedAt = performance.now();

  const hold = await client.getLock(name).acquire({ waitMs: 10_000 });
  const connectedMs = performance.now() - startedAt;
  const locked = await client.getLock(name).isLocked();
  await hold.release();

  expect(connectedMs).toBeGreaterThan(TIMEOUT_MS);
  expect(locked).toBe(true);
});
