// @ts-check
// Heap per held lock, alone and with its signal in use, per read hold and permit, and per waiter.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { median } from '../lib/stats.mjs';

const HOLDS = 10_000;

/** @typedef {import('../lib/report.mjs').Row} Row */

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {{ kind: import('../lib/kinds.mjs').LeasedKind, signals: boolean, waits?: boolean }} what
 * @returns {Promise<number>} bytes
 */
async function heapPerHold({ url, keyPrefix, quick }, what) {
  const options = { url, keyPrefix, holds: HOLDS, ...what };
  /** @type {BenchWorker<import('../tasks/memory.mjs').MemoryRound>} */
  const worker = await BenchWorker.start('memory', options, ['--expose-gc']);
  const bytes = [];
  for (let i = 0; i < (quick ? 1 : 3); i++) {
    const { bytesPerHold } = await worker.round();
    bytes.push(bytesPerHold);
  }
  worker.end();
  return median(bytes);
}

/**
 * @param {string} figure
 * @param {number} value
 * @returns {Row}
 */
function row(figure, value) {
  return { figure: `heap per ${figure}`, value, measured: `${value.toFixed(0)} bytes` };
}

/** @type {import('./index.mjs').Figure} */
export const memory = {
  id: 'memory',
  title: `heap of ${HOLDS} holds`,
  async measure(bench) {
    /** @type {import('../lib/report.mjs').Target} */
    const target = { is: '<', limit: 2_048 };
    /** @type {Row[]} */
    const rows = [];
    const lock = await heapPerHold(bench, { kind: 'lock', signals: false });
    rows.push({ ...row('held lock', lock), target });
    // Node's own AbortSignal with a listener is a large part of this one.
    const listened = await heapPerHold(bench, { kind: 'lock', signals: true });
    rows.push(row('held lock, its signal listened to', listened));
    const reading = await heapPerHold(bench, { kind: 'read lock', signals: false });
    rows.push({ ...row('read hold', reading), target });
    const permit = await heapPerHold(bench, {
      kind: 'permit-expirable semaphore',
      signals: false,
    });
    rows.push({ ...row('held permit of one semaphore', permit), target });
    const waiter = await heapPerHold(bench, { kind: 'lock', signals: false, waits: true });
    rows.push({ ...row('waiter for one lock', waiter), target: { is: '<=', limit: 1_024 } });
    return rows;
  },
};
