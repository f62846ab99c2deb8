// Fencing tokens of a majority: each is larger than all before, whatever one server has forgotten.

import { expect, test } from 'vitest';
import { quorumRaiseTokens } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-fencing');
const raws = [stage.raw(0), stage.raw(1), stage.raw(2)] as const;
const counterOf = (name: string): string => `redisson_lock_token:{${name}}`;

test('tokens grow from hold to hold, and a re-entry has the same', async () => {
  const [client, other] = [stage.client(), stage.client()];
  const lock = client.getFencedLock(stage.name());
  const tokens: bigint[] = [];

  for (const each of [lock, other.getFencedLock(lock.name), lock]) {
    await using hold = await each.acquire();
    tokens.push(hold.fencingToken);
  }
  const again = await lock.using(async (outer) => {
    await using inner = await lock.acquire();
    return inner.fencingToken === outer.fencingToken;
  });

  expect(tokens.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(tokens);
  expect(new Set(tokens).size).toBe(3);
  expect(again).toBe(true);
});

test('a token is larger than the largest counter, which a majority has then, and no counter is lowered', async () => {
  const client = stage.client();
  const lock = client.getFencedLock(stage.name());
  // As Java may have left them: ahead of the time in µs, and of each other.
  const large = 9_000_000_000_000_000_000n;
  await raws[0].set(counterOf(lock.name), String(large));
  await raws[1].set(counterOf(lock.name), '7');

  await using hold = await lock.acquire();
  // The answer of the server that has the largest may come after that of a majority.
  await using next = await hold.release().then(async () => await lock.acquire());

  const counters = await Promise.all(
    raws.map(async (raw) => BigInt((await raw.get(counterOf(lock.name))) ?? 0)),
  );
  expect(counters.filter((counter) => counter >= next.fencingToken).length).toBeGreaterThanOrEqual(
    2,
  );
  expect(counters[0]).toBeGreaterThan(large);
});

test('the largest counter of a majority decides', async () => {
  const client = await stage.connected();
  const lock = client.getFencedLock(stage.name());
  const counters = [
    9_000_000_000_000_000_000n,
    9_000_000_000_000_001_000n,
    9_000_000_000_000_002_000n,
  ];
  await Promise.all(
    raws.map(async (raw, i) => await raw.set(counterOf(lock.name), `${counters[i]}`)),
  );

  await using hold = await lock.acquire();

  // Two of them always have one of the two larger ones.
  expect(hold.fencingToken).toBeGreaterThan(counters[1] ?? 0n);
  await eventually(async () => {
    const found = await Promise.all(raws.map(async (raw) => await raw.get(counterOf(lock.name))));
    return found.filter((counter) => BigInt(counter ?? 0) >= hold.fencingToken).length >= 2;
  });
});

test('a counter that was lost on one server does not set tokens back', async () => {
  const client = stage.client();
  const lock = client.getFencedLock(stage.name());
  const tokens: bigint[] = [];

  for (const raw of raws) {
    const hold = await lock.acquire();
    tokens.push(hold.fencingToken);
    await hold.release();
    await raw.del(counterOf(lock.name));
  }

  expect(tokens.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(tokens);
});

test('each name of a multi-lock has a token', async () => {
  const client = stage.client();
  const lock = client.getMultiLock([stage.name(), stage.name()], { fenced: true });

  await using first = await lock.acquire();
  const before = new Map(first.fencingTokens);
  await first.release();
  await using second = await lock.acquire();

  expect([...before.keys()]).toEqual(lock.names);
  for (const [name, token] of second.fencingTokens) {
    expect(token).toBeGreaterThan(before.get(name) ?? token);
  }
});

test('a token is written where the holder has all locks, and no counter is lowered', async () => {
  const raw = raws[0];
  const names = [stage.name(), stage.name()];
  const keys = names.flatMap((name) => [name, counterOf(name)]);
  const raise = async (holder: string, ...tokens: string[]): Promise<unknown> =>
    await raw.eval(quorumRaiseTokens.source, keys.length, ...keys, holder, ...tokens);
  await raw.hset(names[0]!, 'holder:1', 1);
  await raw.mset(counterOf(names[0]!), '5', counterOf(names[1]!), '9000000000000000001');

  expect(await raise('holder:1', '7', '9')).toBe(0);
  expect(await raw.mget(names.map(counterOf))).toEqual(['5', '9000000000000000001']);
  await raw.hset(names[1]!, 'holder:1', 1);
  expect(await raise('holder:1', '7', '9000000000000000000')).toBe(1);
  expect(await raw.mget(names.map(counterOf))).toEqual(['7', '9000000000000000001']);
  expect(await raise('holder:1', '10', '9000000000000000002')).toBe(1);
  expect(await raw.mget(names.map(counterOf))).toEqual(['10', '9000000000000000002']);
  await raw.del(keys);
});
