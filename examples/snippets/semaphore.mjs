// A semaphore: at most N at once, over all processes that share the name.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
// The first use sets the number of permits; later ones keep it (see setPermits).
const gate = client.getSemaphore('example:uploads', { permits: 3 });

const result = await gate.using(() => 'uploaded'); // one permit, given back afterwards
console.log('result:', result);

const two = await gate.acquire(2); // takes both together, or waits
console.log('left:', await gate.availablePermits());
console.log('two more:', await gate.tryAcquire(2));
await two.release();
console.log('left:', await gate.availablePermits());

await gate.delete(); // Permits have no owner and no expiry: a semaphore stays until it is deleted.
await client.close();
