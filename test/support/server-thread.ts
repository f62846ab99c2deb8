// Asks a server while the event loop of the test stands still.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

interface ServerInThread {
  /** Blocks until the key lives for longer than `ms`, or for a second; returns how long it lives. */
  pttlAbove(key: string, ms: number): number;
  close(): Promise<void>;
}

const PATIENCE_MS = 1_000;

const script = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Redis } = require('ioredis');
  const redis = new Redis(workerData.url);
  const found = new Int32Array(workerData.shared);
  parentPort.on('message', async ({ key, ms }) => {
    const end = performance.now() + ${PATIENCE_MS};
    let left;
    do {
      left = await redis.pttl(key);
    } while (left <= ms && performance.now() < end);
    Atomics.store(found, 1, left);
    Atomics.store(found, 0, 1);
    Atomics.notify(found, 0);
  });
  redis.ping().then(() => parentPort.postMessage('ready'));
`;

export async function serverInThread(url: string): Promise<ServerInThread> {
  const shared = new SharedArrayBuffer(8);
  const found = new Int32Array(shared);
  const worker = new Worker(script, { eval: true, workerData: { url, shared } });
  await once(worker, 'message');
  return {
    pttlAbove(key, ms) {
      Atomics.store(found, 0, 0);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      worker.postMessage({ key, ms });
      Atomics.wait(found, 0, 0);
      return Atomics.load(found, 1);
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
