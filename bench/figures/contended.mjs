// @ts-check
// One lock that changes hands as fast as it can: inside a process, and between processes.
import { contendedRounds } from '../lib/contention.mjs';

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {{ processes: number, tasks: number }} shape
 * @returns {Promise<import('../lib/report.mjs').Row>}
 */
async function contend(bench, { processes, tasks }) {
  const rounds = bench.quick ? { count: 1, ms: 500 } : { count: 3, ms: 1_500 };
  /** @type {import('../lib/contention.mjs').Shape} */
  const shape = { kind: 'lock', permits: 1, processes, tasks, holdMs: 0 };
  const { perSecond, commandsEach } = await contendedRounds(bench, shape, rounds);
  const where = processes > 1 ? `${processes} processes` : `${tasks} tasks of one process`;
  return {
    figure: `hand-over between ${where}`,
    value: perSecond,
    measured: `${perSecond.toFixed(0)} acquisitions/s, ${commandsEach.toFixed(2)} commands each`,
    details: { commandsPerAcquisition: commandsEach },
  };
}

/** @type {import('./index.mjs').Figure} */
export const contended = {
  id: 'contended',
  title: 'one lock that changes hands',
  measure: async (bench) => [
    await contend(bench, { processes: 1, tasks: 8 }),
    await contend(bench, { processes: 4, tasks: 1 }),
  ],
};
