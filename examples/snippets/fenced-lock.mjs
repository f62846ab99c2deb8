// A fenced lock: every grant carries a larger token, so a store can reject writes from an earlier
// holder. examples/fenced-write.mjs shows such a store.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const lock = client.getFencedLock('example:ledger');

const first = await lock.using((hold) => hold.fencingToken);
const second = await lock.using((hold) => hold.fencingToken);

console.log('token type:', typeof first);
console.log('second is larger:', second > first);

await client.close();
