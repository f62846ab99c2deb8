// The calls that take a hold or permit to another client, each with the state that it finds.

import { readWriteKeys } from '../../src/core/locks/write-line.js';
import { detachableLock } from '../../src/core/locks/detachable.js';
import type { Detachable } from '../../src/core/grant/detachable.js';
import type { Command } from '../../src/core/wire/call.js';
import { detachablePermits } from '../../src/expirable-semaphore/leases.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';

const US = '11111111-1111-4111-8111-111111111111:1';
const THEY = '22222222-2222-4222-8222-222222222222:1';
const [ONE, OTHER] = ['00112233445566778899aabbccddeeff', 'ff112233445566778899aabbccddeeff'];

/** All of them, one behind the other, on what `from` has. */
async function inTurn(
  { run }: Place,
  way: Detachable,
  key: string,
  [from, to]: readonly [string, string],
): Promise<void> {
  const send = async ({ script, operands }: Command<unknown>): Promise<unknown> =>
    await run(script, operands);
  await send(way.detach({ key, holderId: from, leaseMs: 70_000, count: 1 }));
  await send(way.adopt(from, to, 80_000));
  await send(way.putBack(from, to));
  await send(way.adopt(from, to, 80_000));
  await send(way.detach({ key, holderId: from, leaseMs: 70_000, count: 1 }));
}

export async function handedCalls(place: Place): Promise<void> {
  const { raw } = place;
  const [lock, book, seats] = ['handed', 'book', 'seats'].map((word) => randomName(word)) as [
    string,
    string,
    string,
  ];
  await raw.hset(lock, US, 1);
  await raw.hset(book, { mode: 'write', [`${US}:write`]: 1 });
  await Promise.all([lock, book].map(async (key) => await raw.pexpire(key, 60_000)));
  const lockKeys = { lock, tombstones: `redlatch_cancelled:{${lock}}:` };
  const line = `redlatch_line:{${lock}}`;
  await inTurn(place, detachableLock({ ...lockKeys, waiting: [line] }), lock, [US, THEY]);
  const bookKeys = readWriteKeys(book);
  const writes = detachableLock({ ...bookKeys, waiting: [bookKeys.writers] }, ':write');
  await inTurn(place, writes, book, [US, THEY]);

  const [timeouts, leases] = [`{${seats}}:timeout`, `redlatch_leases:{${seats}}`];
  await raw.set(seats, 0, 'PX', 60_000);
  await raw.zadd(timeouts, Date.now() + 50_000, Buffer.from(ONE, 'hex'));
  await raw.pexpire(timeouts, 60_000);
  const keys = { semaphore: seats, timeouts, leases, queue: `redlatch_waiting:{${seats}}` };
  await inTurn(place, detachablePermits(keys), seats, [ONE, OTHER]);
}
