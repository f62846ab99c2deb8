// `wait({ waitMs: 0 })` asks once, and that may take as long as an answer takes.

import { afterAll, expect, test } from 'vitest';
import { ClosedError, type Client, type CountDownLatch } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

/** Long enough that nothing below settles because its time is up. */
const TIMEOUT_MS = 20_000;
const PROMPTLY_MS = 3_000;

const scope = testScope('latch-look');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

interface Slow {
  readonly proxy: Proxy;
  readonly client: Client;
  readonly latch: CountDownLatch;
  /** The question has left. */
  readonly asked: () => Promise<void>;
}

/** A latch of which no answer arrives. */
async function slowLatch(): Promise<Slow> {
  const proxy = await startProxy({ target: redisUrl() });
  const client = scope.client({ redis: proxy.url, commandTimeoutMs: TIMEOUT_MS });
  const latch = client.getCountDownLatch(scope.name());
  await latch.count();
  proxy.pauseDownstream();
  const before = proxy.requests().length;
  return {
    proxy,
    client,
    latch,
    asked: async () => {
      await eventually(() => proxy.requests().length > before);
    },
  };
}

test('a look that is aborted rejects with the reason at once', async () => {
  const { proxy, latch, asked } = await slowLatch();
  const abort = new AbortController();
  const reason = new Error('changed my mind');
  const startedAt = performance.now();

  const look = latch.wait({ waitMs: 0, signal: abort.signal });
  const told = expect(look).rejects.toBe(reason);
  await asked();
  abort.abort(reason);
  await told;
  const tookMs = performance.now() - startedAt;
  proxy.resumeDownstream();

  expect(tookMs).toBeLessThan(PROMPTLY_MS);
});

test('a look ends with its client', async () => {
  const { proxy, client, latch, asked } = await slowLatch();
  const startedAt = performance.now();

  const look = latch.wait({ waitMs: 0 });
  const told = expect(look).rejects.toThrow(ClosedError);
  await asked();
  const closing = client.close({ timeoutMs: 2 * PROMPTLY_MS });
  await told;
  const tookMs = performance.now() - startedAt;
  proxy.resumeDownstream();
  await closing;

  expect(tookMs).toBeLessThan(PROMPTLY_MS);
});
