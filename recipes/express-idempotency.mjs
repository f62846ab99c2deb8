// An Express route that charges a card once for each Idempotency-Key, however often a client repeats its
// request, and whichever server gets it. A request that comes while the first one is under way waits for it,
// and gets the same answer.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import { Redis } from 'ioredis';
import { createClient } from 'latchkey';

const prefix = `recipe:charges:${randomUUID()}`;
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const KEEP_SECONDS = 24 * 3600;
let charges = 0;

async function charge(amount) {
  charges += 1; // stands for the payment service
  return { charge: charges, amount };
}

/** The stored answer to this key, or that of `act`, which is called once. */
async function idempotent(key, signal, act) {
  const stored = `${prefix}:${key}`;
  return await client.getLock(`${stored}:lock`).using({ waitMs: 10_000, signal }, async (hold) => {
    const known = await redis.get(stored);
    if (known !== null) {
      return JSON.parse(known);
    }
    const answer = await act();
    hold.assertHeld(); // if it was lost, another server may have acted: that must not stay unseen
    await redis.set(stored, JSON.stringify(answer), 'EX', KEEP_SECONDS);
    return answer;
  });
}

const app = express();
app.use(express.json());
app.post('/charges', async (request, response) => {
  const key = request.get('Idempotency-Key');
  if (key === undefined) {
    response.status(400).json({ error: 'the header Idempotency-Key is missing' });
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.json(await idempotent(key, gone.signal, () => charge(request.body.amount)));
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const post = async (key) => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/charges`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
    body: JSON.stringify({ amount: 100 }),
  });
  return await answer.json();
};
const answers = await Promise.all([post('order-7'), post('order-7'), post('order-7')]);
console.log('three requests, answers:', new Set(answers.map((each) => JSON.stringify(each))).size);
console.log('charges:', charges);
console.log('without a key:', (await post()).error);

server.close();
server.closeAllConnections();
await client.close();
redis.disconnect();
