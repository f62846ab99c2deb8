import { afterAll, expect, test } from 'vitest';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { keysUnder, rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('latch-once');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

/** The bytes of the last script call that went through, to be sent again by hand. */
function lastScript(proxy: Proxy): [string, ...string[]] {
  const last = proxy.requests().findLast(([name]) => /^eval/i.test(name ?? ''));
  const [command = '', ...args] = last ?? [];
  return [command, ...args];
}

async function recordSizes(name: string): Promise<number[]> {
  const keys = (await keysUnder(name, raw)).filter((key) => key.startsWith('redlatch_requests:'));
  return await Promise.all(keys.map(async (key) => await raw.zcard(key)));
}

test('a count-down that arrives three times counts once, with one answer', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.trySetCount(5);
  await latch.countDown();

  const command = lastScript(proxy);
  const answers = [await raw.call(...command), await raw.call(...command)];

  expect(answers).toEqual(['4', '4']);
  expect(await raw.get(latch.name)).toBe('4');
  await latch.delete();
});

test('a copy keeps its first answer when others have counted meanwhile', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(5);
  await latch.countDown();
  const command = lastScript(proxy);
  await other.countDown();

  const answer = await raw.call(...command);

  expect(answer).toBe('4');
  expect(await latch.count()).toBe(3);
  await latch.delete();
});

test('a set that arrives again after the zero does not set again', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.trySetCount(1);
  const command = lastScript(proxy);
  await scope.client().getCountDownLatch(latch.name).countDown();

  const answer = await raw.call(...command);

  expect(answer).toBe('1');
  expect(await raw.exists(latch.name)).toBe(0);
});

test('a deletion that arrives again does not delete what was set since', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(1);
  await latch.delete();
  const command = lastScript(proxy);
  await other.trySetCount(8);

  const answer = await raw.call(...command);

  expect(answer).toBe('1');
  expect(await other.count()).toBe(8);
  await other.delete();
});

test('a copy that arrives long after its call was settled changes nothing', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.trySetCount(100);
  await latch.countDown();
  const command = lastScript(proxy);
  for (let i = 0; i < 20; i += 1) {
    await latch.countDown();
  }

  await raw.call(...command);

  expect(await latch.count()).toBe(79);
  await latch.delete();
});

test('a count-down whose answer is lost counts once', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = scope.client({ redis: proxy.url }).getCountDownLatch(scope.name());
  await latch.trySetCount(5);
  const cut = proxy.cutReplyAfter((command) => command.includes(latch.name), { times: 2 });

  await latch.countDown();

  expect(cut.cut).toHaveLength(2);
  expect(await latch.count()).toBe(4);
  await latch.delete();
});

test('a thousand calls in flight count a thousand, and leave a small record', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(2_000);

  await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      await latch.countDown();
    }),
  );

  expect(await latch.count()).toBe(1_000);
  await latch.delete();
  const sizes = await recordSizes(latch.name);
  expect(sizes).toHaveLength(1);
  expect(sizes[0]).toBeLessThan(20);
});

test('a busy client keeps a record only of what is under way', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(10_000);
  const sizes: number[] = [];

  await Promise.all(
    Array.from({ length: 10 }, async (_, lane) => {
      for (let i = 0; i < 60; i += 1) {
        await latch.countDown();
        if (lane === 0) {
          sizes.push(...(await recordSizes(latch.name)));
        }
      }
    }),
  );

  expect(await latch.count()).toBe(9_400);
  expect(Math.max(...sizes)).toBeLessThan(40);
  await latch.delete();
});
