// A rate limit over all processes: at most 4 calls are let through in any half second.
//
// Every call takes a permit with a fixed lease of half a second and never releases it. A permit
// comes back when its lease has ended by the server's clock, and only then. So there is no bucket
// that fills up over night and no window at whose border twice as many get through: whichever half
// second you look at, at most 4 permits were granted in it. Those who wait get in at the moment at
// which the next lease ends.
//
// What is limited is the grant. A call leaves a moment later, so the other end may see one more or
// less in half a second: keep a little below what it allows.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const LIMIT = 4;
const WINDOW_MS = 500;
const SENDERS = 3;
const CALLS_EACH = 4;

// Every run has a limit of its own, so that two runs do not slow each other down.
const [api = `example:rate-limit:${randomUUID()}`, role = 'main'] = process.argv.slice(2);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const limiter = client.getPermitExpirableSemaphore(api);

/**
 * @template T
 * @param {() => Promise<T>} call
 * @param {AbortSignal} [signal] ends the wait
 */
async function limited(call, signal) {
  await limiter.acquire({ leaseMs: WINDOW_MS, signal }); // and never released
  return await call();
}

async function send() {
  const calls = Array.from({ length: CALLS_EACH }, () =>
    limited(() => redis.incr(`${api}:sent`), AbortSignal.timeout(20_000)),
  );
  await Promise.all(calls);
  // A client that is closed gives back the permits that it still holds, which would let others
  // through too early: let their leases end first.
  await delay(WINDOW_MS);
}

async function main() {
  await limiter.setPermits(LIMIT);
  const senders = Array.from({ length: SENDERS }, () =>
    fork(fileURLToPath(import.meta.url), [api, 'sender']),
  );
  await Promise.all(senders.map((sender) => once(sender, 'exit')));
  console.log(`sent: ${await redis.get(`${api}:sent`)} of ${SENDERS * CALLS_EACH}`);
  console.log('let through now:', await limiter.availablePermits());
  await limiter.delete();
  await redis.del(`${api}:sent`);
}

await (role === 'sender' ? send() : main());
await client.close();
redis.disconnect();
