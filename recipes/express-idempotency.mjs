// An Express route that charges a card once for each Idempotency-Key, whichever server gets the request. A
// request that is repeated while the first one is under way waits for it, and gets the same answer.
//
// A server may die after the charge and before it has stored the answer. So the key goes on to the payment
// service, which does not charge twice for one key either.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const prefix = `recipe:charges:${randomUUID()}`;
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const KEEP_SECONDS = 24 * 3600;
let charges = 0;

/** Stands for the payment service. */
async function charge(amount, _idempotencyKey) {
  charges += 1;
  return { charge: charges, amount };
}

/** The stored answer to this key, or that of `act`. */
async function idempotent(key, signal, act) {
  const stored = `${prefix}:${key}`;
  return await client.getLock(`${stored}:lock`).using({ waitMs: 10_000, signal }, async (hold) => {
    const known = await redis.get(stored);
    if (known !== null) {
      return JSON.parse(known);
    }
    hold.assertHeld(); // right before what cannot be undone
    const answer = await act();
    await redis.set(stored, JSON.stringify(answer), 'EX', KEEP_SECONDS);
    return answer;
  });
}

const app = express();
app.use(express.json());
app.post('/:customer/charges', async (request, response) => {
  const key = request.get('Idempotency-Key');
  if (key === undefined) {
    response.status(400).json({ error: 'the header Idempotency-Key is missing' });
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const own = `${request.params.customer}:${key}`; // two customers may send the same key
  response.json(await idempotent(own, gone.signal, () => charge(request.body.amount, own)));
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const post = async (key) => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/ada/charges`, {
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
