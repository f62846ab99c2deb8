// @ts-check
// Two hundred contenders of four processes on a semaphore of ten. How long they keep their permit
// decides how many are released together, so the dearest of some such times counts.
import { contest } from '../lib/contention.mjs';

const PROCESSES = 4;
const TASKS = 50;
const PERMITS = 10;

/** @typedef {import('../lib/kinds.mjs').Kind} Kind */

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {Kind} kind
 * @param {number} holdMs
 */
async function commandsEach(bench, kind, holdMs) {
  const shape = { kind, permits: PERMITS, processes: PROCESSES, tasks: TASKS, holdMs };
  const rounds = bench.quick
    ? { count: 1, ms: 400, warmUpMs: 400 }
    : { count: 2, ms: 600, warmUpMs: 600 };
  const [ours] = await contest(bench, shape, rounds, ['direct']);
  if (ours === undefined) {
    throw new Error('there is one contender');
  }
  const { commandsEach: cost, perSecond } = ours;
  return { holdMs, cost, perSecond };
}

/** @type {import('./index.mjs').Figure} */
export const gate = {
  id: 'gate',
  title: `${PROCESSES * TASKS} contenders on a semaphore of ${PERMITS}`,
  async measure(bench) {
    /** @type {import('../lib/report.mjs').Row[]} */
    const rows = [];
    for (const kind of /** @type {Kind[]} */ (['semaphore', 'permit-expirable semaphore'])) {
      const shapes = [];
      for (const holdMs of kind === 'semaphore' ? [0, 2, 10] : [2]) {
        shapes.push(await commandsEach(bench, kind, holdMs));
      }
      const figure = `${kind} of 10, 200 contenders: commands per acquisition`;
      const value = Math.max(...shapes.map(({ cost }) => cost));
      const costs = shapes.map(({ holdMs, cost }) => `${cost.toFixed(2)} (${holdMs} ms)`);
      const row = { figure, value, measured: costs.join(', '), details: { shapes } };
      rows.push(kind === 'semaphore' ? { ...row, target: { is: '<=', limit: 4 } } : row);
    }
    return rows;
  },
};
