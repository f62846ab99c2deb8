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
      const value = median(bytes);
      const measured = `${value.toFixed(0)} bytes`;
      /** @type {import('../lib/report.mjs').Target} */
      const target = { is: '<', limit: 2_048 };
      // Node's own AbortSignal with a listener is a large part of the second figure.
      rows.push(
        signals
          ? { figure: 'heap per held lock, its signal listened to', value, measured }
          : { figure: 'heap per held lock', value, measured, target },
      );
    }
    return rows;
  },
};
