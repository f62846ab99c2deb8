// A leader that works until it loses the lock. All servers ask; one of them leads. When it stops, or dies, or
// is cut off, the next one leads within its lease.
//
// The work looks at the signal, and stops when the lock is lost. After a forced release or a failover another
// leader may begin a moment before that: where two must never write, give them a fenced lock.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redlatch';

const name = `recipe:leader:${randomUUID()}`;

/** Leads again and again until `stopped`. */
async function lead(client, stopped, work) {
  while (!stopped.aborted) {
    try {
      await client.getLock(name).using({ signal: stopped }, async (hold) => {
        await work(AbortSignal.any([hold.signal, stopped]));
      });
    } catch (error) {
      // A lost lease: it asks again. The end of the wait: it was stopped.
      if (!stopped.aborted && error.name !== 'LeaseLostError') {
        throw error;
      }
    }
  }
}

const terms = [];
const server = (id) => {
  const client = createClient();
  const stopping = new AbortController();
  const led = lead(client, stopping.signal, async (signal) => {
    terms.push(id);
    while (!signal.aborted) {
      await pause(50, undefined, { signal }).catch(() => {}); // a step of the work
    }
  });
  return { id, client, led, stop: () => stopping.abort() };
};

const servers = [server('one'), server('two')];
while (terms.length < 1) {
  await pause(10);
}
// A deployment stops the leader: it gives the lock back, and the other one leads.
const leader = servers.find(({ id }) => id === terms[0]);
leader.stop();
await leader.led;
while (terms.length < 2) {
  await pause(10);
}
console.log('the other one leads:', terms[0] !== terms[1]);

servers.forEach(({ stop }) => stop());
await Promise.all(servers.map(({ led }) => led));
await Promise.all(servers.map(({ client }) => client.close()));
