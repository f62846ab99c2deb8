// The tokens of holds that follow one another inside one client.

import { expect, onTestFinished, test } from 'vitest';
import { createClient, LeaseLostError, type Client, type FencedHold } from '../../../src/index.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';

const raw = rawClient();

function open(redis = redisUrl()): Client {
  const client = createClient({ redis, handOff: 'direct' });
  onTestFinished(async () => await client.close());
  return client;
}

const counterOf = (name: string): string => `redisson_lock_token:{${name}}`;

function nameOf(word: string): string {
  const name = randomName(word);
  onTestFinished(async () => {
    await raw.del(counterOf(name));
  });
  return name;
}

/** Takes the lock so many times at once, and returns the holds in the order of their grants. */
async function takeTurns(client: Client, name: string, count: number): Promise<FencedHold[]> {
  const holds: FencedHold[] = [];
  const turn = async (): Promise<void> => {
    const hold = await client.getFencedLock(name).acquire();
    holds.push(hold);
    await hold.release();
  };
  await Promise.all(Array.from({ length: count }, turn));
  return holds;
}

/** A hold, and the one that follows it in a run; that one lasts. */
async function inRun(client: Client, name: string): Promise<readonly [FencedHold, FencedHold]> {
  const lock = client.getFencedLock(name);
  const alone = await lock.acquire();
  const [first, second] = [lock.acquire(), lock.acquire()];
  await alone.release();
  await (await first).release();
  expect((await second).holderId).toBe((await first).holderId);
  return [await first, await second];
}

const tokens = (holds: readonly FencedHold[]): bigint[] => holds.map((hold) => hold.fencingToken);

/** Fails unless each is larger than the one before. */
function expectGrowing(given: readonly bigint[]): void {
  const sorted = [...new Set(given)].toSorted((one, other) => (one < other ? -1 : 1));
  expect(given).toEqual(sorted);
}

test('each hold in a run of a fenced lock has a larger token than the one before', async () => {
  const name = nameOf('tokens');
  const client = open();

  const holds = await takeTurns(client, name, 100);

  expectGrowing(tokens(holds));
  // Sixteen tokens come with a grant.
  expect(new Set(holds.map(({ holderId }) => holderId)).size).toBeLessThanOrEqual(50);
  for (const id of new Set(holds.map(({ holderId }) => holderId))) {
    expect(holds.filter(({ holderId }) => holderId === id).length).toBeLessThanOrEqual(16);
  }
});

test('whoever gets a fenced lock after a run has a larger token: Java, and other clients', async () => {
  const name = nameOf('strangers');
  const [client, other] = [open(), open()];

  const run = await takeTurns(client, name, 5);
  // As Redisson issues a token.
  const ofJava = BigInt(await raw.incr(counterOf(name)));
  const again = await takeTurns(client, name, 5);
  const theirs = await takeTurns(other, name, 2);
  const last = await takeTurns(client, name, 2);

  expectGrowing([...tokens(run), ofJava, ...tokens(again), ...tokens(theirs), ...tokens(last)]);
});

test('tokens grow although the server forgets them in a run', async () => {
  const server = await ownServer();
  const other = rawClient(server.url);
  const [client, next] = [open(server.url), open(server.url)];
  const name = randomName('flushed');
  const [first, hold] = await inRun(client, name);

  await other.flushall();
  const after = await next.getFencedLock(name).acquire();

  expectGrowing(tokens([first, hold, after]));
  await expect(hold.release()).rejects.toThrow(LeaseLostError);
  await after.release();
});

test('a re-entry into a hold that was passed on has the token of that hold', async () => {
  const name = nameOf('re-entry');
  const client = open();
  const lock = client.getFencedLock(name);
  const first = await lock.acquire();
  const second = lock.using(async (outer) => {
    const inner = await lock.acquire();
    expect([inner.depth, inner.fencingToken]).toEqual([2, outer.fencingToken]);
    await inner.release();
    return outer;
  });
  const third = lock.acquire();

  await first.release();
  const outer = await second;

  expectGrowing(tokens([first, outer, await third]));
  await (await third).release();
});
