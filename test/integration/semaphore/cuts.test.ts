// Connections that break at any moment, with waits that give up: no permit is lost, none is made.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { expectAvailable } from './world.js';

const { client, name } = fixture('sem-cuts', [/^redlatch-test:/]);

const rounds = 25;
const lanes = 12;

test('connections cut at any moment lose no permit and make none', async () => {
  const object = name();
  const direct = client().getSemaphore(object);
  await direct.trySetPermits(5);
  const proxies = [
    await startProxy({ target: redisUrl() }),
    await startProxy({ target: redisUrl() }),
  ];
  let inside = 0;
  let most = 0;
  let cuts = 0;
  const work = proxies.flatMap((proxy, side) => {
    const semaphore = client({ redis: proxy.url }).getSemaphore(object);
    return Array.from({ length: lanes }, async (_, lane) => {
      for (let round = 0; round < rounds; round += 1) {
        const abort = new AbortController();
        const count = 1 + ((lane + side) % 3);
        const wait = semaphore.acquire(count, { signal: abort.signal });
        const patienceMs = (lane * 5 + round * 11) % 60;
        const timer = setTimeout(() => abort.abort(), patienceMs);
        const permits = await wait.catch(() => null);
        clearTimeout(timer);
        if (permits !== null) {
          inside += permits.count;
          most = Math.max(most, inside);
          await new Promise((resolve) => setTimeout(resolve, lane % 4));
          inside -= permits.count;
          await permits.release();
        }
      }
    });
  });
  const done = { is: false };
  const cutting = (async () => {
    while (!done.is) {
      const proxy = proxies[cuts % 2];
      cuts += proxy?.cutAll() ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 7 + (cuts % 13)));
    }
  })();

  await Promise.all(work);
  done.is = true;
  await cutting;

  expect(most).toBeLessThanOrEqual(5);
  expect(cuts).toBeGreaterThan(10);
  await expectAvailable(direct, 5);
});
