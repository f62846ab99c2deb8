// A permit-expirable semaphore: every permit lives on a lease, so a crash gives it back.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
// The first use sets the number of permits; later ones keep it (see setPermits).
const seats = client.getPermitExpirableSemaphore('example:seats', { permits: 2 });

const renewed = await seats.acquire(); // until its release, or the death of this process
const fixed = await seats.acquire({ leaseMs: 1_000 }); // for a second at most
console.log('a third seat:', await seats.tryAcquire());

const next = await seats.acquire({ waitMs: 10_000 }); // gets in once the fixed lease expires
console.log('renewed, fixed, next:', renewed.isHeld, fixed.isHeld, next.isHeld);

await renewed.release();
await next.release();
console.log('free seats:', await seats.availablePermits());

await seats.delete();
await client.close();
