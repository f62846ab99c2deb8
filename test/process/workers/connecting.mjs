// @ts-check
// Connects to servers that go bad on the way, until it is told to end.
//
//   node connecting.mjs NAME closed|abandoned ADDRESSES

import { Cluster } from 'ioredis';
import { createClient } from '../../../dist/index.js';

const [, , name = '', how = '', addresses = '[]'] = process.argv;
const abort = new AbortController();

const given = /** @type {({ nodes?: { port: number }[] })[]} */ (JSON.parse(addresses));
const clients = given.map(({ nodes, ...options }) =>
  createClient({
    redis: nodes === undefined ? options : new Cluster(nodes, { lazyConnect: true }),
    commandTimeoutMs: 500,
  }),
);
for (const client of clients) {
  client
    .getLock(name)
    .acquire({ signal: abort.signal })
    .catch(() => {});
}

async function end() {
  if (how === 'closed') {
    await Promise.all(clients.map(async (client) => await client.close({ timeoutMs: 100 })));
  } else {
    abort.abort();
  }
  process.disconnect();
}

process.once('message', () => void end());
