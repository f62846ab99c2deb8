// Two requests at a time for each tenant, over all servers: one tenant with many does not slow down the
// others. Whoever does not get in within a moment is told to come back later.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redlatch';

const client = createClient();
const prefix = `recipe:tenant:${randomUUID()}`;
const WAIT_MS = 100;

const limitOf = (tenant) =>
  client.getPermitExpirableSemaphore(`${prefix}:${tenant}`, { permits: 2 });

/** What `work` returns, or undefined: answer "429 Too Many Requests" then. */
async function limited(tenant, work) {
  const permit = await limitOf(tenant).tryAcquire({ waitMs: WAIT_MS });
  if (permit === null) {
    return undefined;
  }
  try {
    return await work(permit.signal);
  } finally {
    await permit.release();
  }
}

// Connected: a client that is still connecting may need longer than a request is to wait.
await Promise.all(['greedy', 'modest'].map((tenant) => limitOf(tenant).availablePermits()));

const request = () => pause(600, 'served');
const greedy = Array.from({ length: 5 }, () => limited('greedy', request));
const modest = limited('modest', request);

const answers = await Promise.all(greedy);
console.log('greedy, served:', answers.filter((answer) => answer === 'served').length);
console.log('greedy, too many:', answers.filter((answer) => answer === undefined).length);
console.log('modest:', await modest);

await Promise.all(['greedy', 'modest'].map((tenant) => limitOf(tenant).delete()));
await client.close();
