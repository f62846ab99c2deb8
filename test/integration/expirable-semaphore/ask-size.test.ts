// What one call asks for: the server is never busy with it for long.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { scriptsOf } from '../semaphore/world.js';

const { client, name } = fixture('ask-size', [/^redlatch-test:/]);

test('waiters that want many leased permits are asked for in several calls', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  // No renewal is due before the end.
  const own = client({ redis: proxy.url, leaseMs: 60_000 });
  const semaphore = own.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(5_000);
  const order: number[] = [];
  const before = scriptsOf(proxy);

  const granted = await Promise.all(
    [400, 400, 400, 1_000, 400].map(async (count, i) => {
      const permits = await semaphore.acquireMany(count);
      order.push(i);
      return permits.length;
    }),
  );

  // Two of 400 fit into a call of about a thousand, and one of a thousand goes alone.
  expect(scriptsOf(proxy) - before).toBe(4);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(granted).toEqual([400, 400, 400, 1_000, 400]);
  await semaphore.delete();
});

test('counting permits cost nothing by their number: one call asks for all', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  await semaphore.trySetPermits(50_000_000);
  const before = scriptsOf(proxy);

  await Promise.all(Array.from({ length: 50 }, async () => await semaphore.acquire(1_000_000)));

  expect(scriptsOf(proxy) - before).toBe(1);
  expect(await semaphore.availablePermits()).toBe(0);
});
