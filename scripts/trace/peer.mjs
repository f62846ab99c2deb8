// @ts-check
// The other process: it waits for a lock that its parent holds, and reports its way to the grant.
//
//   node peer.mjs URL NAME ('lock' | 'fair lock')

import { tracedPackage } from './operations.mjs';
import { routeOf } from './route.mjs';

const [url = '', name = '', what] = process.argv.slice(2);
const { createClient } = await tracedPackage();
const client = createClient({ redis: url });
await client.getLock('trace:warm').using(() => {});
const lock = what === 'lock' ? client.getLock(name) : client.getFairLock(name);
const { value, route } = await routeOf(async () => await lock.acquire());
await value.release();
await client.close();
process.send?.(route);
process.disconnect();
