// The first use of a name sets the number of permits that the client was told, in the same command.

import { expect, test } from 'vitest';
import { WrongTypeError, type Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { kinds, lasting, left, scriptsAbout } from './world.js';

const { client, name, raw } = fixture('first-use', lasting);

/** Each first call, the one script that it runs, and how many permits are left then of five. */
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
  '%s sets the number with one command',
  async (_, script, permits, use, answer) => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const id = name();

    const got = await use(own, id);

    expect(await left(id)).toBe(permits);
    expect(await raw.pttl(id)).toBe(-1);
    expect(scriptsAbout(proxy, id)).toEqual([script]);
    if (answer !== undefined) {
      expect(got).toBe(answer);
    }
  },
);

test('using sets the number, and no later call carries it', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const own = client({ redis: proxy.url });
  const id = name();

  await own.getSemaphore(id, { permits: 2 }).using(() => {}, { permits: 2 });
  await own.getSemaphore(id, { permits: 2 }).using(() => {});

  expect(await left(id)).toBe(2);
  const sent = proxy.requests().filter((command) => command.includes(id));
  expect(sent).toHaveLength(4);
  expect(sent.map((command) => command.includes('keep 1 2'))).toEqual([true, false, false, false]);
});

test.each(kinds)('a $kind that a question has made cannot be counted as a latch', async (kind) => {
  const own = client();
  const id = name();
  await kind.get(own, id, 3).availablePermits();

  const error = await rejection(own.getCountDownLatch(id).count());

  expect(error).toBeInstanceOf(WrongTypeError);
  expect(String(error)).toContain(`is in use as a ${kind.kind} by this client`);
});

test('a name is that of a semaphore or a latch for as long as there is one', async () => {
  const [own, id, other] = [client(), name(), name()];
  await client().getSemaphore(id).trySetPermits(1);
  await own.getSemaphore(id).acquire();
  const latch = own.getCountDownLatch(other);
  await latch.trySetCount(2);
  await latch.countDown();

  const errors = [
    await rejection(own.getCountDownLatch(id).count()),
    await rejection(own.getSemaphore(other).availablePermits()),
  ];

  expect(errors.map(String)).toEqual([
    expect.stringContaining('is in use as a semaphore by this client'),
    expect.stringContaining('is in use as a count-down-latch by this client'),
  ]);
});
