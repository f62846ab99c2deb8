// The names of a multi-lock: their order, what they may be, and what is asked of all of them.

import { expect, test } from 'vitest';
import { slotOf } from '../../../src/core/connection/slots.js';
import { NotHeldError } from '../../../src/index.js';
import { rawClient } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('multi-names');
const raw = rawClient();

const some = (count: number): string[] => Array.from({ length: count }, () => scope.name());

test('names stand in one order, by slot and then by bytes, whatever order they come in', () => {
  const client = scope.client();
  const names = [...some(20), `{tag}b-${scope.prefix}`, `{tag}a-${scope.prefix}`];

  const lock = client.getMultiLock(names);
  const reversed = client.getMultiLock(names.toReversed());

  const sorted = names.toSorted((a, b) => slotOf(a) - slotOf(b) || (a < b ? -1 : 1));
  expect(lock.names).toEqual(sorted);
  expect(lock.name).toBe(sorted.join(', '));
  expect(reversed.names).toEqual(sorted);
});

test('the prefix counts for the order, and not for the names', () => {
  const names = some(10);
  const [plain, prefixed] = [scope.client(), scope.client({ keyPrefix: 'app:' })];

  expect(prefixed.getMultiLock(names).names.toSorted()).toEqual(names.toSorted());
  expect(prefixed.getMultiLock(names).names).toEqual(
    plain.getMultiLock(names.map((name) => `app:${name}`)).names.map((name) => name.slice(4)),
  );
});

test.each([
  ['no array', () => 'a', TypeError, 'names must be an array of strings, got "a"'],
  ['no names', () => [], RangeError, 'names must have 1 to 100 names, got 0'],
  ['too many', () => some(101), RangeError, 'names must have 1 to 100 names, got 101'],
  ['a number', () => [7], TypeError, 'name must be a string, got 7'],
  ['an empty name', () => [''], RangeError, 'name must have 1 to 512 bytes in UTF-8, got 0'],
  ['a name twice', () => ['a', 'b', 'a'], TypeError, '"a" and "a" are the same one'],
  ['y and {y}', () => ['{y}', 'y'], TypeError, '"{y}" and "y" are the same one'],
])('%s is refused', (_, names, type, message) => {
  const client = scope.client();
  const get = (): unknown => client.getMultiLock(names() as string[]);

  expect(get).toThrow(type);
  expect(get).toThrow(message);
});

test('other options than fenced are refused, and fenced is a boolean', () => {
  const client = scope.client();

  expect(() => client.getMultiLock(['a'], { fence: true } as object)).toThrow(TypeError);
  expect(() => client.getMultiLock(['a'], { fenced: 1 as unknown as boolean })).toThrow(
    'fenced must be a boolean, got 1',
  );
});

test('its questions are about all names', async () => {
  const names = some(3);
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock(names);
  const free = [await lock.isLocked(), await lock.holders(), await lock.remainingLeaseMs()];

  const long = await other.getLock(names[0]!).acquire({ leaseMs: 60_000 });
  const short = await other.getLock(names[1]!).acquire({ leaseMs: 10_000 });
  const holders = await lock.holders();
  const leaseMs = await lock.remainingLeaseMs();

  expect(free).toEqual([false, [], null]);
  expect(await lock.isLocked()).toBe(true);
  expect(holders.map(({ holderId }) => holderId).toSorted()).toEqual(
    [long.holderId, short.holderId].toSorted(),
  );
  expect(leaseMs).toBeGreaterThan(0);
  expect(leaseMs).toBeLessThanOrEqual(10_000);
  expect(await lock.holdCount()).toBe(0);
  expect([await lock.forceRelease(), await lock.forceRelease()]).toEqual([true, false]);
  expect(await raw.exists(...names)).toBe(0);
});

test('a fenced one has the token of each name, which grows', async () => {
  const names = some(3);
  const lock = scope.client().getMultiLock(names, { fenced: true });

  const first = await lock.acquire();
  await first.release();
  const second = await lock.acquire();

  expect([...first.fencingTokens.keys()]).toEqual(lock.names);
  for (const [name, token] of second.fencingTokens) {
    expect(token).toBeGreaterThan(first.fencingTokens.get(name) ?? 0n);
    expect(await raw.get(`redisson_lock_token:{${name}}`)).toBe(String(token));
  }
  expect(second.fencingToken).toBeUndefined();
  await second.release();
  await raw.del(...names.map((name) => `redisson_lock_token:{${name}}`));
});

test('within takes a hold of all names or of one, and no other hold', async () => {
  const [first, second, third] = some(3);
  const client = scope.client();
  const both = await client.getMultiLock([first!, second!]).acquire();
  const other = await client.getLock(third!).acquire();

  const inner = await client.getLock(second!).acquire({ within: both });
  await inner.release();
  const all = await client.getMultiLock([first!, second!]).acquire({ within: both });
  const error: unknown = await client
    .getMultiLock([first!, second!])
    .acquire({ within: other })
    .catch((thrown: unknown) => thrown);
  const none: unknown = await client
    .getLock(third!)
    .acquire({ within: both })
    .catch((thrown: unknown) => thrown);

  expect([inner.depth, all.depth]).toEqual([2, 2]);
  expect([error, none].map((each) => each instanceof NotHeldError)).toEqual([true, true]);
  await Promise.all([all, both, other].map(async (hold) => await hold.release()));
});
