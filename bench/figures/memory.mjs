// @ts-check
// Heap per held lock, alone and with its signal in use.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { median } from '../lib/stats.mjs';

const HOLDS = 10_000;

/** @type {import('./index.mjs').Figure} */
export const memory = {
  id: 'memory',
  title: `heap of ${HOLDS} held locks`,
  async measure({ url, keyPrefix, quick }) {
    const rows = [];
    for (const signals of [false, true]) {
      const options = { url, keyPrefix, holds: HOLDS, signals };
      /** @type {BenchWorker<import('../tasks/memory.mjs').MemoryRound>} */
      const worker = await BenchWorker.start('memory', options, ['--expose-gc']);
      const bytes = [];
      for (let i = 0; i < (quick ? 1 : 3); i++) {
        const { bytesPerHold } = await worker.round();
        bytes.push(bytesPerHold);
      }
      worker.end();
      rows.push({
        figure: `heap per held lock${signals ? ', its signal listened to' : ''}`,
        target: /** @type {const} */ ({ is: '<', limit: 2_048 }),
        value: median(bytes),
        measured: `${median(bytes).toFixed(0)} bytes`,
      });
    }
    return rows;
  },
};
