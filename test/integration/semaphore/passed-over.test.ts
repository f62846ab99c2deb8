// What takes five seconds and more, side by side: re-checks (S3), and requests that others pass (S7).

import { afterAll, expect, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { Client, Semaphore } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { keysUnder, randomName, rawClient, redisUrl } from '../../support/redis.js';
import { skippingClock } from '../../support/skipping-clock.js';
import { listening } from './world.js';

/** A request that was passed over for so long takes a place in line. */
const PASSED_OVER_MS = 5_000;

const raw = rawClient();
const names: string[] = [];

afterAll(async () => {
  for (const name of names) {
    await raw.del(name);
  }
});

function newName(word: string): string {
  const name = randomName(word);
  names.push(name);
  return name;
}

/** Ends at the end of the test that made it: the tests of this file run side by side. */
function open(redis = redisUrl(), clock = systemClock()): Client {
  // No command is in time on a clock that skips 5 s.
  return createClientOn({ clock }, { redis, commandTimeoutMs: 60_000 });
}

/** A client that waits for permits, and how to let it be passed over for long enough. */
function passed(
  name: string,
  redis?: string,
): { big: Client; nowInLine: (length: number) => Promise<void> } {
  const clock = skippingClock();
  return {
    big: open(redis, clock),
    nowInLine: async (length) => {
      await listening(raw, name, length);
      clock.skip(PASSED_OVER_MS);
      await eventually(async () => (await lineOf(name)).length === length);
    },
  };
}

/** Two that take one permit in turn, each until the other has one too (or a second has passed), so
 * that there are never two free at once. */
function stream(semaphore: Semaphore): { stop(): Promise<void>; served(): number } {
  const state = { isRunning: true, served: 0 };
  const lanes = [1, 2].map(async () => {
    while (state.isRunning) {
      await semaphore.using(async () => {
        state.served += 1;
        const mine = state.served;
        const end = performance.now() + 1_000;
        while (state.served === mine && performance.now() < end && state.isRunning) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
    }
  });
  return {
    stop: async () => {
      state.isRunning = false;
      await Promise.all(lanes);
    },
    served: () => state.served,
  };
}

async function lineOf(name: string): Promise<string[]> {
  return await raw.zrange(`redlatch_waiting:{${name}}`, '0', '-1');
}

async function privateKeys(name: string): Promise<string[]> {
  const keys = await keysUnder(name, raw);
  return keys.filter((key) => /^redlatch_(?:waiting|beats):/.test(key));
}

test.concurrent('S3: permits that come without a message are found all the same', async () => {
  const name = newName('silent');
  await using client = open();
  const wait = client.getSemaphore(name).acquire();
  await listening(raw, name);

  await raw.incrby(name, 1);
  const permits = await wait;

  expect(permits.count).toBe(1);
});

test.concurrent('S7: a big request that is passed over gets in, and the small ones go on', async () => {
  const name = newName('passed');
  await using small = open();
  await using big = open();
  const gate = small.getSemaphore(name);
  await gate.trySetPermits(2);
  const traffic = stream(gate);
  await eventually(() => traffic.served() > 8);
  const startedAt = performance.now();

  const permits = await big.getSemaphore(name).acquire(2);
  const waitedMs = performance.now() - startedAt;
  const before = traffic.served();
  await permits.release();
  await eventually(() => traffic.served() > before + 8);

  expect(waitedMs).toBeGreaterThan(4_000);
  expect(waitedMs).toBeLessThan(8_000);
  await traffic.stop();
  expect(await raw.get(name)).toBe('2');
  expect(await privateKeys(name)).toEqual([]);
});

test.concurrent('S7: while one is first in line, attempts of others are refused', async () => {
  const name = newName('refused');
  await using holder = open();
  const { big, nowInLine } = passed(name);
  await using _ = big;
  const gate = holder.getSemaphore(name);
  await gate.trySetPermits(3);
  const held = await gate.acquire(1);
  const waiting = big.getSemaphore(name).acquire(3);

  await nowInLine(1);
  const refused = [await gate.tryAcquire(1), await gate.tryAcquire(1, { waitMs: 300 })];
  const left = await gate.availablePermits();
  await held.release();
  const permits = await waiting;

  expect([refused, left]).toEqual([[null, null], 2]);
  expect(await privateKeys(name)).toEqual([]);
  await permits.release();
  expect((await gate.tryAcquire(3))?.count).toBe(3);
});

test.concurrent('S7: when it gives up, the others get in at once', async () => {
  const name = newName('gives-up');
  await using other = open();
  const { big, nowInLine } = passed(name);
  await using _ = big;
  await other.getSemaphore(name).trySetPermits(2);
  const abort = new AbortController();
  const caught = big
    .getSemaphore(name)
    .acquire(3, { signal: abort.signal })
    .catch(() => 'gone');
  await nowInLine(1);
  const small = other.getSemaphore(name).acquire(1);
  await other.getSemaphore(name).availablePermits();
  const startedAt = performance.now();

  abort.abort();
  await (await small).release();

  expect(await caught).toBe('gone');
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  await eventually(async () => {
    expect(await privateKeys(name)).toEqual([]);
  });
});

test.concurrent('S7: when its client is cut off, the others stand back no longer than 5 s', async () => {
  const name = newName('cut-off');
  const proxy = await startProxy({ target: redisUrl() });
  await using other = open();
  const { big, nowInLine } = passed(name, proxy.url);
  await using _ = big;
  await other.getSemaphore(name).trySetPermits(2);
  const caught = big
    .getSemaphore(name)
    .acquire(3)
    .catch(() => 'gone');
  await nowInLine(1);

  proxy.refuse();
  proxy.cutAll();
  const startedAt = performance.now();
  const permits = await other.getSemaphore(name).acquire(1);
  const waitedMs = performance.now() - startedAt;

  expect(waitedMs).toBeLessThan(5_000);
  await permits.release();
  await big.close({ timeoutMs: 100 });
  expect(await caught).toBe('gone');
  expect(await privateKeys(name)).toEqual([]);
});

test.concurrent('S7: those who were passed over are served in the order of their places', async () => {
  const name = newName('order');
  await using holder = open();
  const [first, second] = [passed(name), passed(name)];
  await using _ = first.big;
  await using __ = second.big;
  const gate = holder.getSemaphore(name);
  await gate.trySetPermits(2);
  const held = await gate.acquire(2);
  const order: string[] = [];
  const waits = [
    first.big
      .getSemaphore(name)
      .acquire(2)
      .then((permits) => (order.push('first'), permits)),
  ];
  await first.nowInLine(1);
  waits.push(
    second.big
      .getSemaphore(name)
      .acquire(1)
      .then((permits) => (order.push('second'), permits)),
  );
  await second.nowInLine(2);

  await held.release();
  for (const wait of waits) {
    await (await wait).release();
  }

  expect(order).toEqual(['first', 'second']);
  expect(await privateKeys(name)).toEqual([]);
});
