import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { CommandTimeoutError } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { latchChannel, listening } from '../../support/latch-channel.js';
import { channelsUnder, rawClient, redisUrl } from '../../support/redis.js';
import { startProxy } from '../../support/proxy.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('latch-wait');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('a wait is over at once when no count is set', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());

  expect(await latch.wait()).toBe(true);
  expect(await latch.wait({ waitMs: 0 })).toBe(true);
  expect(await latch.wait({ waitMs: 1_000 })).toBe(true);
});

test('every waiter goes on at zero, and nobody before', async () => {
  const name = scope.name();
  const [ours, theirs, third] = [scope.client(), scope.client(), scope.client()];
  const latch = third.getCountDownLatch(name);
  await latch.trySetCount(2);
  const done: string[] = [];
  const waits = [ours, ours, theirs, theirs, third].map(async (client, i) => {
    const result = await client.getCountDownLatch(name).wait();
    done.push(`${i}:${result}`);
  });
  await listening(raw, name, 3);

  await latch.countDown();
  // A second look of everybody has been answered, and the count was not zero.
  await Promise.all([ours, theirs].map((client) => client.getCountDownLatch(name).count()));
  const early = [...done];
  await latch.countDown();
  await Promise.all(waits);

  expect(early).toEqual([]);
  expect(done.toSorted()).toEqual(['0:true', '1:true', '2:true', '3:true', '4:true']);
});

test('a wait answers false when its time runs out, and leaves no channel', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);

  const result = await latch.wait({ waitMs: 500 });

  expect(result).toBe(false);
  await eventually(async () => (await channelsUnder(latch.name, raw)).length === 0);
  await latch.delete();
});

test('a wait of 0 ms asks once', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);

  const before = await latch.wait({ waitMs: 0 });
  await latch.countDown();
  const after = await latch.wait({ waitMs: 0 });

  expect([before, after]).toEqual([false, true]);
});

test('a wait whose time ran out harms no other', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const patient = latch.wait();

  const hasty = await latch.wait({ waitMs: 500 });
  await latch.countDown();

  expect(hasty).toBe(false);
  expect(await patient).toBe(true);
});

test('an aborted wait rejects with the reason, and leaves no channel', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const abort = new AbortController();
  const reason = new Error('changed my mind');
  const wait = latch.wait({ signal: abort.signal });
  await listening(raw, latch.name);

  abort.abort(reason);

  await expect(wait).rejects.toBe(reason);
  await eventually(async () => (await channelsUnder(latch.name, raw)).length === 0);
  await latch.delete();
});

test('a wait with an aborted signal does not begin, even when no count is set', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const reason = new Error('too late');

  const wait = latch.wait({ signal: AbortSignal.abort(reason) });

  await expect(wait).rejects.toBe(reason);
});

test.each([
  [-1, RangeError],
  [2_147_483_648, RangeError],
  ['5', TypeError],
] as const)('a waitMs of %j is refused', async (waitMs, kind) => {
  const latch = scope.client().getCountDownLatch(scope.name());

  const wait = latch.wait({ waitMs: waitMs as number });

  await expect(wait).rejects.toThrow(kind);
  await expect(wait).rejects.toThrow('waitMs');
});

test('deleting the latch lets its waiters go', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(7);
  const waits = [latch.wait(), other.wait(), other.wait({ waitMs: 10_000 })];
  await listening(raw, latch.name, 2);

  await latch.delete();

  expect(await Promise.all(waits)).toEqual([true, true, true]);
});

test('a latch whose life ends lets its waiters go', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1, { ttlMs: 400 });

  const result = await latch.wait({ waitMs: 4_000 });

  expect(result).toBe(true);
});

test('a latch that vanishes without a message is noticed by the next look', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const wait = latch.wait({ waitMs: 15_000 });
  await listening(raw, latch.name);

  await raw.del(latch.name);

  expect(await wait).toBe(true);
});

test('a wait outlives the loss of every connection', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const wait = latch.wait();
  await listening(raw, latch.name);

  proxy.refuse();
  proxy.cutAll();
  await raw.multi().del(latch.name).publish(latchChannel(latch.name), '0').exec();
  await proxy.accept();

  expect(await wait).toBe(true);
});

test('a wait that got no answer in its time says so', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.count();
  proxy.refuse();
  proxy.cutAll();

  const wait = latch.wait({ waitMs: 200 });

  await expect(wait).rejects.toThrow(CommandTimeoutError);
});

test('a wait that began before the connection stands ends with it', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  proxy.refuse();
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await raw.set(latch.name, '1');

  const wait = latch.wait();
  await delay(0);
  await proxy.accept();
  await listening(raw, latch.name);
  await scope.client().getCountDownLatch(latch.name).countDown();

  expect(await wait).toBe(true);
});
