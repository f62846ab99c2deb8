// @ts-check
// Holds one lock, waits for another and for a latch, and reports what becomes of them while its
// Redis dies and comes back. Nothing is listened to that a program need not listen to.
//
//   node survivor.mjs URL NAME

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = ''] = process.argv;
const client = createClient({ redis, leaseMs: 600, commandTimeoutMs: 500 });
const hold = await client.getLock(`${name}:mine`).acquire();
const getsIn = client.getLock(`${name}:theirs`).acquire();
const opens = client.getCountDownLatch(`${name}:latch`).wait();
process.send?.({ type: 'standing' });

/** @param {unknown} error */
const codeOf = (error) => /** @type {{ code?: string }} */ (error).code;

hold.signal.addEventListener('abort', () => {
  process.send?.({ type: 'lost', code: codeOf(hold.signal.reason) });
});
const next = await getsIn;
process.send?.({ type: 'got-in', isHeld: next.isHeld, opened: await opens });
const error = await hold.release().then(() => undefined, codeOf);
await next.release();
process.send?.({ type: 'released', error });
