import { afterAll, expect, test } from 'vitest';
import { WrongTypeError } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('latch');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

test('the count is set once, until it is gone', async () => {
  const [ours, theirs] = [scope.client(), scope.client()];
  const name = scope.name();

  const first = await ours.getCountDownLatch(name).trySetCount(2);
  const second = await theirs.getCountDownLatch(name).trySetCount(9);

  expect([first, second]).toEqual([true, false]);
  expect(await theirs.getCountDownLatch(name).count()).toBe(2);
  await ours.getCountDownLatch(name).delete();
});

test('any client counts down, and at zero the key is gone', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  const other = scope.client().getCountDownLatch(latch.name);
  await latch.trySetCount(3);

  const counts: number[] = [];
  for (const face of [latch, other, latch]) {
    await face.countDown();
    counts.push(await other.count());
  }

  expect(counts).toEqual([2, 1, 0]);
  expect(await raw.exists(latch.name)).toBe(0);
});

test('a hundred count-downs at once from three clients count a hundred', async () => {
  const name = scope.name();
  const faces = [1, 2, 3].map(() => scope.client().getCountDownLatch(name));
  await faces[0]!.trySetCount(101);

  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      await faces[i % 3]!.countDown();
    }),
  );

  expect(await faces[0]!.count()).toBe(1);
  await faces[0]!.countDown();
  expect(await raw.exists(name)).toBe(0);
});

test('counting down where no count is set does nothing and creates nothing', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());

  await latch.countDown();

  expect(await latch.count()).toBe(0);
  expect(await raw.exists(latch.name)).toBe(0);
  expect(await latch.trySetCount(1)).toBe(true);
  expect(await latch.count()).toBe(1);
  await latch.delete();
});

test('the count of a latch that was never set is 0', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());

  expect(await latch.count()).toBe(0);
});

test('delete says whether there was a latch', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(4);

  const answers = [await latch.delete(), await latch.delete()];

  expect(answers).toEqual([true, false]);
  expect(await latch.count()).toBe(0);
});

test('a count can be set again after zero and after delete', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(1);

  await latch.countDown();
  const afterZero = await latch.trySetCount(5);
  await latch.delete();
  const afterDelete = await latch.trySetCount(6);

  expect([afterZero, afterDelete]).toEqual([true, true]);
  expect(await latch.count()).toBe(6);
  await latch.delete();
});

test('a latch lives without limit unless it is given a life', async () => {
  const client = scope.client();
  const [forever, mortal] = [scope.name(), scope.name()];

  await client.getCountDownLatch(forever).trySetCount(1);
  await client.getCountDownLatch(mortal).trySetCount(1, { ttlMs: 60_000 });

  const ttlMs = await raw.pttl(mortal);
  expect(await raw.pttl(forever)).toBe(-1);
  expect(ttlMs).toBeGreaterThan(50_000);
  expect(ttlMs).toBeLessThanOrEqual(60_000);
  await client.getCountDownLatch(forever).delete();
  await client.getCountDownLatch(mortal).delete();
});

test('a latch that outlives its time is gone, and can be set again', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(3, { ttlMs: 50 });

  await eventually(async () => (await latch.count()) === 0);

  expect(await latch.trySetCount(2)).toBe(true);
  expect(await latch.count()).toBe(2);
  await latch.delete();
});

test('counting down keeps the life of the latch', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());
  await latch.trySetCount(3, { ttlMs: 60_000 });

  await latch.countDown();

  expect(await raw.pttl(latch.name)).toBeGreaterThan(50_000);
  await latch.delete();
});

test('the largest count is 2147483647', async () => {
  const latch = scope.client().getCountDownLatch(scope.name());

  await latch.trySetCount(2_147_483_647);
  await latch.countDown();

  expect(await latch.count()).toBe(2_147_483_646);
  await latch.delete();
});

test.each([
  [0, RangeError],
  [-1, RangeError],
  [2_147_483_648, RangeError],
  [1.5, TypeError],
  [Number.NaN, TypeError],
  ['1', TypeError],
  [undefined, TypeError],
] as const)('a count of %j is refused before anything is sent', async (count, kind) => {
  const latch = scope.client().getCountDownLatch(scope.name());

  const setting = latch.trySetCount(count as number);

  await expect(setting).rejects.toThrow(kind);
  await expect(setting).rejects.toThrow('count');
  expect(await raw.exists(latch.name)).toBe(0);
});

test.each([
  [0, RangeError],
  [2_147_483_648, RangeError],
  ['9', TypeError],
] as const)('a ttlMs of %j is refused', async (ttlMs, kind) => {
  const latch = scope.client().getCountDownLatch(scope.name());

  const setting = latch.trySetCount(1, { ttlMs: ttlMs as number });

  await expect(setting).rejects.toThrow(kind);
  await expect(setting).rejects.toThrow('ttlMs');
});

test('a name that holds something else is refused, and kept as it is', async () => {
  const client = scope.client();
  const [hash, word] = [scope.name(), scope.name()];
  await raw.hset(hash, 'field', '1');
  await raw.set(word, 'word');

  for (const name of [hash, word]) {
    const latch = client.getCountDownLatch(name);
    for (const call of [
      latch.trySetCount(1),
      latch.countDown(),
      latch.count(),
      latch.wait(),
      latch.delete(),
    ]) {
      await expect(call).rejects.toThrow(WrongTypeError);
    }
  }

  expect(await raw.hgetall(hash)).toEqual({ field: '1' });
  expect(await raw.get(word)).toBe('word');
  await raw.del(hash, word);
});

test('two faces of one latch are one latch', async () => {
  const client = scope.client();
  const name = scope.name();

  await client.getCountDownLatch(name).trySetCount(2);
  await client.getCountDownLatch(name).countDown();

  expect(await client.getCountDownLatch(name).count()).toBe(1);
  await client.getCountDownLatch(name).delete();
});
