// Seats are sold in the order in which people queued, although they queue at three tills, each of
// which is a process of its own.
//
// With a plain lock the tills would compete for each seat, and a late customer of a quick till could
// be served first. A fair lock has one queue for all processes. Who leaves it, or whose process
// dies, does not hold up those behind: here one customer loses patience.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const TILLS = 3;
const CUSTOMERS = ['Ada', 'Bob', 'Cleo', 'Dan', 'Eve', 'Fay'];

// Every run has a show of its own, so that two runs do not meet.
const [show = `example:tickets:${randomUUID()}`, role = 'main'] = process.argv.slice(2);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const lock = client.getFairLock(show);

/** @type {Map<string, AbortController>} */
const patience = new Map();

/** @param {string} customer */
async function sell(customer) {
  const impatience = new AbortController();
  patience.set(customer, impatience);
  try {
    await lock.using(() => redis.rpush(`${show}:sold`, customer), { signal: impatience.signal });
  } catch (error) {
    if (!impatience.signal.aborted) {
      throw error;
    }
    await redis.rpush(`${show}:left`, customer);
  }
}

async function till() {
  /** @type {Promise<void>[]} */
  const sales = [];
  /** @param {{ queues?: string, leaves?: string }} news */
  const hear = ({ queues, leaves }) => {
    if (queues !== undefined) {
      sales.push(sell(queues));
    }
    if (leaves !== undefined) {
      patience.get(leaves)?.abort();
    }
  };
  process.on('message', hear);
  await once(process, 'disconnect');
  await Promise.all(sales);
}

/**
 * Waits until so many stand in the queue: a list that anybody may look at.
 *
 * @param {number} length
 */
async function queued(length) {
  while ((await redis.llen(`redisson_lock_queue:{${show}}`)) !== length) {
    await delay(10);
  }
}

async function main() {
  const tills = Array.from({ length: TILLS }, () =>
    fork(fileURLToPath(import.meta.url), [show, 'till']),
  );

  const closed = await lock.acquire(); // Nothing is sold yet.
  for (const [i, customer] of CUSTOMERS.entries()) {
    tills[i % TILLS].send({ queues: customer });
    await queued(i + 1);
  }
  console.log('queued:', CUSTOMERS.join(', '));
  for (const each of tills) {
    each.send({ leaves: 'Cleo' });
  }
  await queued(CUSTOMERS.length - 1);
  await closed.release();

  for (const each of tills) {
    each.disconnect();
  }
  await Promise.all(tills.map((each) => once(each, 'exit')));
  console.log('left:', (await redis.lrange(`${show}:left`, 0, -1)).join(', '));
  console.log('sold:', (await redis.lrange(`${show}:sold`, 0, -1)).join(', '));
  await redis.del(`${show}:sold`, `${show}:left`);
}

await (role === 'till' ? till() : main());
await client.close();
redis.disconnect();
