// What a burst of counted calls leaves in the record of its client: the low-water mark, and no answers.

import { afterAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { requestsTrim } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { lockKinds } from '../../support/kinds/kinds.js';
import { startProxy } from '../../support/proxy.js';
import { keysUnder, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { scriptOf } from '../../support/scripts.js';
import { countedTraffic, type Traffic } from '../../support/traffic.js';

const scope = testScope('bursts');
const raw = rawClient();
/** A key with one member and a TTL takes less. */
const BYTES_MAX = 400;

afterAll(async () => {
  await expectNoResidue(scope.prefix, {
    allow: [/^redlatch_(?:requests|opened|cancelled|generation|permits|beats):/],
  });
  await expectNoChannels(scope.prefix);
});

interface Burst {
  readonly what: string;
  readonly size: number;
  /** Makes so many counted calls at once; all of them are answered when it resolves. */
  readonly run: (client: Client, name: string, size: number) => Promise<unknown>;
  readonly remove?: (client: Client, name: string) => Promise<unknown>;
}

async function times(size: number, call: (i: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: size }, async (_, i) => await call(i)));
}

const bursts: Burst[] = [
  {
    what: 'count-downs of a latch',
    size: 5_000,
    run: async (client, name, size) => {
      const latch = client.getCountDownLatch(name);
      await latch.trySetCount(size);
      await times(size, () => latch.countDown());
    },
  },
  {
    what: 'releases of a semaphore',
    size: 2_000,
    run: async (client, name, size) => {
      const semaphore = client.getSemaphore(name, { permits: size });
      const all = await Promise.all(Array.from({ length: size }, () => semaphore.acquire()));
      await times(size, (i) => all[i]!.release());
    },
    remove: async (client, name) => await client.getSemaphore(name).delete(),
  },
  {
    what: 'bare releases of a semaphore',
    size: 500,
    run: async (client, name, size) => {
      const semaphore = client.getSemaphore(name);
      await semaphore.trySetPermits(0);
      await times(size, () => semaphore.release());
    },
    remove: async (client, name) => await client.getSemaphore(name).delete(),
  },
  {
    what: 'changes of the leases of a permit-expirable semaphore',
    size: 500,
    run: async (client, name, size) => {
      const semaphore = client.getPermitExpirableSemaphore(name);
      await semaphore.trySetPermits(1);
      const permit = await semaphore.acquire();
      await times(size, () => semaphore.updateLease(permit.id, 30_000));
      await semaphore.release(permit.id);
      await permit.release().catch(() => undefined);
    },
    remove: async (client, name) => await client.getPermitExpirableSemaphore(name).delete(),
  },
  ...lockKinds.map(({ what, get }) => ({
    what: `forced releases of a ${what}`,
    size: 500,
    run: async (client: Client, name: string, size: number) => {
      const lock = get(client, name);
      await times(size, () => lock.forceRelease());
    },
  })),
];

const trims = ({ proxy }: Traffic): number =>
  proxy.requests().filter((words) => scriptOf(words, [requestsTrim])).length;

async function recordOf(name: string): Promise<{ answers: number; bytes: number }> {
  const [key = ''] = await keysUnder(`redlatch_requests:{${name}}`, raw);
  const bytes = Number(await raw.call('MEMORY', 'USAGE', key));
  return { answers: (await raw.zcard(key)) - 1, bytes };
}

describe('a burst', () => {
  test.each(bursts)('of $what leaves no answers, after one trim', async (burst) => {
    const name = scope.name();
    const traffic = await countedTraffic(redisUrl());
    const client = scope.client({ redis: traffic.url });
    await burst.run(client, name, burst.size);

    await eventually(async () => expect((await recordOf(name)).answers).toBe(0));

    expect((await recordOf(name)).bytes).toBeLessThan(BYTES_MAX);
    expect(trims(traffic)).toBe(1);
    await burst.remove?.(client, name);
  });

  test('of fifty calls is told by the next call only, also where the client closes', async () => {
    const traffic = await countedTraffic(redisUrl());
    const client = scope.client({ redis: traffic.url });
    const [small, large] = [scope.name(), scope.name()];
    const latches = [small, large].map((name) => client.getCountDownLatch(name));

    await Promise.all(latches.map(async (latch) => await latch.trySetCount(200)));
    await times(50, () => latches[0]!.countDown());
    await times(51, () => latches[1]!.countDown());
    await client.close();

    expect(trims(traffic)).toBe(1);
    expect([(await recordOf(small)).answers, (await recordOf(large)).answers]).toEqual([50, 0]);
    await raw.del(small, large);
  });

  test('keeps the close of its client from ending, but not beyond the time of that', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const client = scope.client({ redis: proxy.url });
    const name = scope.name();
    const held = proxy.holdRequests((words) => scriptOf(words, [requestsTrim]) !== undefined);
    await times(60, () => client.getCountDownLatch(name).countDown());

    const startedAt = performance.now();
    await client.close({ timeoutMs: 100 });
    const tookMs = performance.now() - startedAt;
    held.release();

    expect(held.held).toHaveLength(1);
    expect(tookMs).toBeGreaterThan(90);
    expect(tookMs).toBeLessThan(2_000);
  });
});
