// @ts-check
// A function as AWS Lambda runs it: the client is outside of the handler, and between two invocations the process
// is frozen. This one returns before it has released its lock.
//
//   node invocations.mjs URL NAME LEASE_MS

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '0'] = process.argv;
const client = createClient({ redis, leaseMs: Number(lease), waitMs: 5_000 });
const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));

/** @type {import('../../../dist/index.js').Hold | undefined} */
let left;

/** What the first lines of a handler see of the hold that the invocation before has left. */
function look() {
  const reason = /** @type {Error | undefined} */ (left?.signal.reason);
  return { isHeld: left?.isHeld, aborted: left?.signal.aborted, reason: reason?.name };
}

async function handle() {
  const before = left === undefined ? undefined : look();
  const released = await left?.release().catch((/** @type {Error} */ error) => error.name);
  const startedAt = performance.now();
  left = await client.getLock(name).acquire();
  const tookMs = performance.now() - startedAt;
  process.send?.({ type: 'returned', before, released, isHeld: left.isHeld, tookMs });
}

async function end() {
  await left?.release();
  await client.close();
  process.send?.({ type: 'closed', unhandled: unhandled.length });
  process.disconnect();
}

process.on('message', (/** @type {{ type: string }} */ { type }) => {
  void (type === 'invoke' ? handle() : end());
});
process.send?.({ type: 'ready' });
