// A lock of a majority of servers, here and in Java (RedissonRedLock): each server has an ordinary lock, so they
// exclude each other.

import { afterAll, expect, test } from 'vitest';
import { expectRefused, startQuorum } from '../../support/quorum.js';
import { JavaProgram, type JavaClient } from '../support/java.js';

const stage = await startQuorum('interop-quorum', 5_000);
const program = JavaProgram.start();
afterAll(async () => {
  await program.kill();
  await stage[Symbol.asyncDispose]();
});

/** A RedissonRedLock over all servers, and what a thread of Java does with it. */
async function redLock(
  name: string,
): Promise<(method: string, waitMs?: number) => Promise<unknown>> {
  const clients: JavaClient[] = [];
  for (const url of stage.urls) {
    clients.push(await program.open({ url }));
  }
  const [first] = clients;
  const thread = first?.thread('one');
  const keys = clients.map(({ key }) => key);
  return async (method, waitMs = 500) =>
    await thread?.call(`red.${method}`, name, { clients: keys, waitMs, leaseMs: 60_000 });
}

test('each keeps the other out, also with one server killed', async () => {
  const node = await stage.connected();
  const name = stage.name();
  const lock = node.getLock(name);
  const java = await redLock(name);

  const hold = await lock.acquire();
  const refusedJava = await java('tryLock');
  await hold.release();
  const takenByJava = await java('tryLock');
  await expectRefused(lock);
  await java('unlock');
  await stage.servers[2]!.kill();
  const second = await lock.acquire();
  const refusedAgain = await java('tryLock');
  await second.release();
  // The leases of its members are twice as long, while it finds out that one server is dead.
  const last = await java('tryLock', 15_000);
  await expectRefused(lock);

  expect([refusedJava, takenByJava]).toEqual([false, true]);
  expect([refusedAgain, last]).toEqual([false, true]);
}, 60_000);
