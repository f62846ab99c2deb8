// A leader that works until it loses the lock. All servers ask; one leads; when it stops, dies or is cut off,
// the next one is told within its lease. The work looks at the signal: a leader that has lost the lock stops,
// before another one may begin.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'latchkey';

const name = `recipe:leader:${randomUUID()}`;

/** Leads again and again until `stopped`. */
async function lead(client, stopped, work) {
  while (!stopped.aborted) {
    try {
      await client.getLock(name).using({ signal: stopped }, async (hold) => {
        await work(AbortSignal.any([hold.signal, stopped]));
      });
    } catch (error) {
      // A lost lease, or the end of the wait: it asks again, unless it was stopped.
      if (!stopped.aborted && error.name !== 'LeaseLostError') {
        throw error;
      }
    }
  }
}

const stopping = new AbortController();
const terms = [];
let ended = 0;
const server = (id) => {
  const client = createClient();
  const led = lead(client, stopping.signal, async (signal) => {
    terms.push(id);
    while (!signal.aborted) {
      await pause(50, undefined, { signal }).catch(() => {}); // a step of the work
    }
    ended += 1;
  });
  return { client, led };
};

const servers = [server('one'), server('two')];
while (terms.length < 1) {
  await pause(10);
}
// Somebody frees the lock by force: the leader hears of it, stops, and the other one leads.
const operator = createClient();
await operator.getLock(name).forceRelease();
while (terms.length < 2 || ended < 1) {
  await pause(10);
}
console.log('another one leads:', terms[0] !== terms[1]);
stopping.abort();
await Promise.all(servers.map(({ led }) => led));
console.log('terms that have ended:', ended);
await Promise.all([operator.close(), ...servers.map(({ client }) => client.close())]);
