// @ts-check
// The primary of the cluster module and two workers, of which one leads.
//
//   node primary.mjs URL NAME

import cluster from 'node:cluster';
import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = ''] = process.argv;

/** Leads until it is told to stop. */
async function work() {
  const client = createClient({ redis, leaseMs: 1_000 });
  const stopping = new AbortController();
  process.on('message', () => stopping.abort());
  try {
    await client.getLock(name).using({ signal: stopping.signal }, async (hold) => {
      process.send?.({ type: 'leads' });
      await new Promise((resolve) => {
        AbortSignal.any([hold.signal, stopping.signal]).addEventListener('abort', resolve);
      });
    });
  } catch (error) {
    if (!stopping.signal.aborted) {
      throw error;
    }
  }
  await client.close();
  cluster.worker?.disconnect();
}

function lead() {
  for (const worker of [cluster.fork(), cluster.fork()]) {
    worker.on('message', () => process.send?.({ type: 'leads', id: worker.id }));
  }
  cluster.on('exit', ({ id }, code, signal) => {
    process.send?.({ type: 'exited', id, code, signal });
    if (Object.keys(cluster.workers ?? {}).length === 0) {
      process.disconnect();
    }
  });
  process.on('message', (/** @type {{ type: string, id: number }} */ { type, id }) => {
    const worker = cluster.workers?.[id];
    if (type === 'kill') {
      worker?.process.kill('SIGKILL');
    } else {
      worker?.send('stop');
    }
  });
}

if (cluster.isPrimary) {
  lead();
} else {
  await work();
}
