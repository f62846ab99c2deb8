// The first use of a name with a number states it: by a `configure` before it, in the same write.

import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { lasting, left, scriptsAbout } from './world.js';

const { client, name, raw } = fixture('first-use', lasting);

/** Each first call, the script that runs behind `configure`, and how many permits are left then of five. A look needs
 * no other. */
const firstUses: [
  string,
  string,
  number,
  (client: Client, name: string) => Promise<unknown>,
  unknown?,
][] = [
  [
    'acquire of a semaphore',
    'semaphore/acquire',
    3,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).acquire(2),
  ],
  [
    'tryAcquire of a semaphore',
    'semaphore/acquire',
    4,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).tryAcquire(),
  ],
  [
    'a tryAcquire of too many',
    'semaphore/acquire',
    5,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).tryAcquire(6),
    null,
  ],
  [
    'availablePermits of a semaphore',
    'semaphore/configure',
    5,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).availablePermits(),
    5,
  ],
  [
    'addPermits of a semaphore',
    'semaphore/add-permits',
    7,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).addPermits(2),
  ],
  [
    'drainPermits',
    'semaphore/drain-permits',
    0,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).drainPermits(),
    5,
  ],
  [
    'release of a semaphore',
    'semaphore/release',
    5,
    async (own, id) => await own.getSemaphore(id, { permits: 5 }).release(),
  ],
  [
    'acquire of a permit-expirable semaphore',
    'expirable-semaphore/acquire',
    4,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).acquire(),
  ],
  [
    'acquireMany',
    'expirable-semaphore/acquire',
    2,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).acquireMany(3),
  ],
  [
    'a tryAcquireMany of too many',
    'expirable-semaphore/acquire',
    5,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).tryAcquireMany(6),
    null,
  ],
  [
    'availablePermits of a permit-expirable semaphore',
    'expirable-semaphore/configure',
    5,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).availablePermits(),
    5,
  ],
  [
    'totalPermits',
    'expirable-semaphore/configure',
    5,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).totalPermits(),
    5,
  ],
  [
    'acquiredPermits',
    'expirable-semaphore/configure',
    5,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).acquiredPermits(),
    0,
  ],
  [
    'addPermits of a permit-expirable semaphore',
    'expirable-semaphore/resize',
    3,
    async (own, id) => await own.getPermitExpirableSemaphore(id, { permits: 5 }).addPermits(-2),
  ],
];

test.each(firstUses)(
  '%s states the number before it, in the same write',
  async (_, script, permits, use, answer) => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const id = name();

    const got = await use(own, id);

    expect(await left(id)).toBe(permits);
    expect(await raw.pttl(id)).toBe(-1);
    const family = script.slice(0, script.indexOf('/'));
    const configure = `${family}/configure`;
    expect(scriptsAbout(proxy, id)).toEqual(script === configure ? [script] : [configure, script]);
    if (answer !== undefined) {
      expect(got).toBe(answer);
    }
  },
);

test('using states the number, and no later call does', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  const id = name();

  await own.getSemaphore(id, { permits: 2 }).using(() => {}, { permits: 2 });
  await own.getSemaphore(id, { permits: 2 }).using(() => {});

  expect(await left(id)).toBe(2);
  expect(scriptsAbout(proxy, id)).toEqual([
    'semaphore/configure',
    'semaphore/acquire',
    'semaphore/return',
    expect.any(String),
    expect.any(String),
  ]);
});
