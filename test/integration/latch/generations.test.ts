import { afterAll, expect, test } from 'vitest';
import { latchChannel, listening } from '../../support/latch-channel.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('latch-again');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('a latch set again at once after zero lets go everybody who waited before', async () => {
  const [setter, other] = [scope.client(), scope.client()];
  const latch = setter.getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const waits = [setter, setter, other, other].map(
    async (client) => await client.getCountDownLatch(latch.name).wait({ waitMs: 20_000 }),
  );
  await listening(raw, latch.name, 2);

  const [, set] = await Promise.all([latch.countDown(), latch.trySetCount(5)]);

  expect(set).toBe(true);
  expect(await Promise.all(waits)).toEqual([true, true, true, true]);
  expect(await latch.count()).toBe(5);
  await latch.delete();
});

test('a latch set again at once after its deletion lets go who waited before', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(3);
  const wait = other.wait({ waitMs: 20_000 });
  await listening(raw, latch.name);

  await Promise.all([latch.delete(), latch.trySetCount(5)]);

  expect(await wait).toBe(true);
  await latch.delete();
});

test('no zero is missed over thirty rounds of one latch', async () => {
  const [setter, waiter] = [scope.client(), scope.client()];
  const latch = setter.getCountDownLatch(scope.name());
  const results: boolean[] = [];
  await latch.trySetCount(1);

  for (let round = 0; round < 30; round += 1) {
    const waits = [1, 2].map(
      async () => await waiter.getCountDownLatch(latch.name).wait({ waitMs: 20_000 }),
    );
    // Its look was sent before this one, on the same connection: the waits have seen the count.
    await waiter.getCountDownLatch(latch.name).count();
    await Promise.all([latch.countDown(), latch.trySetCount(1)]);
    results.push(...(await Promise.all(waits)));
  }

  expect(results).toEqual(Array.from({ length: 60 }, () => true));
  await latch.delete();
});

test('a wait that begins after the new count was set is not let go by the old zero', async () => {
  const [setter, waiter] = [scope.client(), scope.client()];
  const names = Array.from({ length: 20 }, () => scope.name());

  const results = await Promise.all(
    names.map(async (name) => {
      const latch = setter.getCountDownLatch(name);
      await latch.trySetCount(1);
      const before = waiter.getCountDownLatch(name).wait({ waitMs: 20_000 });
      await listening(raw, name);
      await Promise.all([latch.countDown(), latch.trySetCount(1)]);
      const after = waiter.getCountDownLatch(name).wait({ waitMs: 500 });
      return [await before, await after];
    }),
  );

  expect(results).toEqual(names.map(() => [true, false]));
  await Promise.all(names.map(async (name) => await setter.getCountDownLatch(name).delete()));
});

test('a late copy of the old zero message does not end a wait for the new count', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  await latch.countDown();
  await latch.trySetCount(2);
  const wait = latch.wait({ waitMs: 300 });
  await listening(raw, latch.name);

  await raw.publish(latchChannel(latch.name), '0');

  expect(await wait).toBe(false);
  await latch.delete();
});

test('the wait for the new count ends with the new zero', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(1);
  await Promise.all([latch.countDown(), latch.trySetCount(2)]);
  const wait = other.wait();
  await listening(raw, latch.name);

  await latch.countDown();
  const left = await latch.count();
  await latch.countDown();

  expect(left).toBe(1);
  expect(await wait).toBe(true);
});

test('a zero and a new count during an outage of the waiter still let it go', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const waiter = scope.client({ redis: proxy.url });
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const wait = waiter.getCountDownLatch(latch.name).wait({ waitMs: 20_000 });
  await listening(raw, latch.name);

  proxy.refuse();
  proxy.cutAll();
  await listening(raw, latch.name, 0);
  await latch.countDown();
  await latch.trySetCount(4);
  await proxy.accept();

  expect(await wait).toBe(true);
  await latch.delete();
});
