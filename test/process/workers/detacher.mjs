// @ts-check
// Takes a fenced lock, detaches its hold, and says by which string it can be adopted; or adopts one.
//
//   node detacher.mjs URL NAME [STRING]

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', detached = ''] = process.argv;
const client = createClient({ redis, leaseMs: 5_000 });
// It lives until it is killed.
setInterval(() => {}, 1_000);

if (detached === '') {
  const hold = await client.getFencedLock(name).acquire();
  const string = await hold.detach();
  process.send?.({ type: 'detached', string, token: String(hold.fencingToken) });
} else {
  const hold = /** @type {import('../../../dist/index.js').FencedHold} */ (
    await client.adopt(detached)
  );
  process.send?.({ type: 'adopted', token: String(hold.fencingToken), isHeld: hold.isHeld });
}
