import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName, rawClient, redisUrl } from '../support/redis.js';
test('probe', async () => {
  const client = createClient({ redis: redisUrl() });
  const [a, b] = [randomName('a'), randomName('b')];
  await client.getLock(a).isLocked();
  const abort = new AbortController();
  client.on('acquired', ({ resource }) => { if (resource === a) abort.abort(new Error('stop')); });
  const [x, y] = await Promise.allSettled([client.getLock(a).tryAcquire(), client.getLock(b).tryAcquire({ signal: abort.signal })]);
  console.log(x.status, y.status, y);
  await new Promise((r) => setTimeout(r, 300));
  console.log(await rawClient().hgetall(b), await rawClient().pttl(b));
  await client.close();
  expect(await rawClient().exists(b)).toBe(0);
});
