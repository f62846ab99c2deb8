// @ts-check
// What a program does with the package on any runtime, one check after the other, while a process of Node.js does its
// part (../runtimes.mjs). Each line that it prints is a check that held.
//
//   runtime.mjs PREFIX REDIS_OPTIONS close|leave

import { setTimeout } from 'node:timers/promises';
import { createClient } from 'redlatch';

const LEASE_MS = 1_500;
const [, , prefix = '', redis = '{}', end] = process.argv;

const server = /** @type {import('redlatch').ClientOptions['redis']} */ (JSON.parse(redis));
const client = createClient({ redis: server, waitMs: 10_000, leaseMs: LEASE_MS, label: 'runtime' });

/** @param {string} name @param {unknown} actual @param {unknown} expected */
function check(name, actual, expected) {
  const [seen, wanted] = [actual, expected].map((value) => JSON.stringify(value));
  if (seen !== wanted) {
    throw new Error(`${name}: expected ${wanted}, got ${seen}`);
  }
  console.log(name);
}

async function locks() {
  const lock = client.getFencedLock(`${prefix}:lock`);
  const hold = await lock.acquire();
  const inside = [hold.isHeld, typeof hold.fencingToken, await lock.tryAcquire()];
  await hold.release();
  check(
    'a fenced lock is acquired, refused and released',
    [...inside, hold.state, await lock.isLocked()],
    [true, 'bigint', null, 'released', false],
  );
}

/** Node.js waits for what is held here, then holds what is waited for here. */
async function handOver() {
  const lock = client.getLock(`${prefix}:hand-over`);
  const hold = await lock.acquire();
  await new Promise((resolve) => {
    hold.onContended(() => resolve(undefined));
  });
  await hold.release();
  const again = await lock.acquire();
  check(
    'a holder is asked to yield, and a wait is handed over, there and back',
    again.isHeld,
    true,
  );
  await again.release();
}

/** Node.js takes the lock away. */
async function loss() {
  const hold = await client.getLock(`${prefix}:forced`).acquire();
  const { signal } = hold;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
  });
  const { name } = /** @type {Error} */ (signal.reason);
  const rejected = await hold.release().catch((/** @type {Error} */ error) => error.name);
  const lost = 'LeaseLostError';
  check('a lost lease aborts its signal', [name, hold.state, rejected], [lost, 'lost', lost]);
}

/** Node.js counts the latch down. */
async function counts() {
  const gate = client.getSemaphore(`${prefix}:gate`, { permits: 2 });
  const two = await gate.acquire(2);
  check('the permits of a semaphore run out', await gate.tryAcquire(), null);
  await two.release();
  await gate.delete();
  const latch = client.getCountDownLatch(`${prefix}:latch`);
  await latch.trySetCount(1);
  check('a latch is opened from outside', await latch.wait({ waitMs: 10_000 }), true);
}

async function scopes() {
  const lock = client.getLock(`${prefix}:scope`);
  const depths = await lock.using(async (outer) => {
    await setTimeout(1);
    return await lock.using((inner) => [outer.depth, inner.depth]);
  });
  check('a task re-enters its lock behind timers and promises', depths, [1, 2]);
  const held = [];
  {
    await using hold = await lock.acquire();
    held.push(hold.isHeld);
  }
  held.push(await lock.isLocked());
  check('`await using` holds and releases', held, [true, false]);
}

/** Node.js cuts every connection of this client, then counts the latch down. */
async function cuts() {
  const hold = await client.getLock(`${prefix}:cut`).acquire();
  const heldAt = performance.now();
  const latch = client.getCountDownLatch(`${prefix}:cuts`);
  await latch.trySetCount(1);
  await latch.wait({ waitMs: 10_000 });
  await setTimeout(Math.max(0, LEASE_MS + 100 - (performance.now() - heldAt)));
  check('a lock is renewed after a cut of every connection', hold.isHeld, true);
  await hold.release();
}

await locks();
await handOver();
await loss();
await counts();
await scopes();
await cuts();
if (end === 'close') {
  await client.close();
}
console.log(
  end === 'close'
    ? 'it ends once its client is closed'
    : 'it ends though nothing closes its client',
);
