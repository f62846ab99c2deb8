// A store that refuses those who come too late.
//
// A process can be paused at any instant (garbage collection, a suspended machine) for longer than
// its lease, right after it has checked that it still holds the lock. No lock can prevent that;
// the store can: it remembers the largest fencing token it has seen and refuses smaller ones.
//
// Here one process stops itself between its check and its write. Another one gets the lock and
// writes. When the first is woken, its write is refused.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const lock = client.getFencedLock('example:account');

/** The store compares and writes in one step: a check before the write would come too early. */
const WRITE = `
  local seen, token = redis.call('HGET', KEYS[1], 'token') or '0', ARGV[1]
  -- As text, the longer number is the larger one: a Lua number would lose digits beyond 2^53.
  if #token < #seen or (#token == #seen and token < seen) then
    return 0
  end
  redis.call('HSET', KEYS[1], 'token', token, 'value', ARGV[2])
  return 1
`;

/**
 * @param {import('redlatch').Hold} hold
 * @param {string} value
 */
async function write(hold, value) {
  const token = String(hold.fencingToken);
  const accepted = await redis.eval(WRITE, 1, 'example:account:store', token, value);
  return accepted === 1 ? 'accepted' : 'refused';
}

async function pausedHolder() {
  const hold = await lock.acquire({ leaseMs: 2_000 });
  hold.assertHeld(); // true, and yet ...
  process.send?.('about to write');
  process.kill(process.pid, 'SIGSTOP'); // ... the process is stopped here, for longer than its lease
  const held = hold.isHeld; // A careful program asks again and does not write.
  console.log('paused holder, still held:', held);
  console.log('paused holder, write', await write(hold, 'from the past'));
}

async function main() {
  const paused = fork(fileURLToPath(import.meta.url), ['paused-holder']);
  await once(paused, 'message');
  // Waits until the lease of the stopped process has ended; the token is larger than its token.
  await lock.using(async (hold) => {
    console.log('next holder, write', await write(hold, 'from the next holder'));
  });
  // Again and again: on a busy machine it may not have come to its stop yet.
  const wake = setInterval(() => paused.kill('SIGCONT'), 100);
  await once(paused, 'exit');
  clearInterval(wake);
  console.log('stored:', await redis.hget('example:account:store', 'value'));
}

await (process.argv[2] === 'paused-holder' ? pausedHolder() : main());
await client.close();
redis.disconnect();
