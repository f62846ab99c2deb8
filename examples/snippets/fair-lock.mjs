// A fair lock: a lock that is first come, first served over all processes that share the name.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const till = client.getFairLock('example:till');

const opening = await till.acquire();
const customers = ['Ada', 'Bob', 'Cleo'].map((name) =>
  till.using(() => console.log('served:', name), { waitMs: 10_000 }),
);

await opening.release();
await Promise.all(customers);

await client.close();
