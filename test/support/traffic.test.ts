import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName } from './redis.js';
import { ownServer } from './server.js';
import { countedTraffic, quiet } from './traffic.js';

const server = await ownServer();

test('a client that has not connected yet is not quiet', async () => {
  const traffic = await countedTraffic(server.url);
  traffic.proxy.pauseUpstream();
  await using client = createClient({ redis: traffic.url });
  const question = client.getLock(randomName('late')).isLocked();

  const silence = quiet(traffic, client).then(() => 'quiet');

  // Two looks, half a second apart, find that nothing is sent.
  expect(await Promise.race([silence, delay(1_100, 'not quiet')])).toBe('not quiet');
  traffic.proxy.resumeUpstream();
  expect(await silence).toBe('quiet');
  expect(await question).toBe(false);
  expect(traffic.scripts()).toBe(2);
});
