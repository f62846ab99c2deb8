// @ts-check
// One lock that nobody else wants: commands, latency and CPU of an acquire and release.
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';
import { ratioRow, us } from '../lib/report.mjs';
import { compareSides } from '../lib/sides.mjs';
import { ratioOf } from '../lib/stats.mjs';

/** @typedef {import('./index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../tasks/cycles.mjs').Kind} Kind */

const CYCLES = 100;

/**
 * @param {Bench} bench
 * @param {Kind} kind
 * @returns {Promise<Row[]>}
 */
async function countCommands({ url, keyPrefix }, kind) {
  const counter = new CommandCounter(url);
  const client = createClient({ redis: url, keyPrefix });
  const lock = kind === 'lock' ? client.getLock('counted') : client.getFencedLock('counted fenced');
  const cycle = async () => {
    const hold = await lock.acquire();
    await hold.release();
  };
  await lock.isLocked();
  await counter.forgetScripts();
  const first = await counter.during(cycle);
  const later = await counter.during(async () => {
    for (let i = 0; i < CYCLES; i++) {
      await cycle();
    }
  });
  await client.close();
  await counter.close();
  const target = /** @type {const} */ ({ is: '=', limit: 2 });
  const figure = `${kind}: commands per acquire + release`;
  const each = later / CYCLES;
  return [
    { figure: `${figure}, scripts unknown`, target, value: first, measured: String(first) },
    { figure, target, value: each, measured: String(each) },
  ];
}

/**
 * @param {Bench} bench
 * @param {Kind} kind
 * @returns {Promise<Row[]>}
 */
async function compare({ url, keyPrefix, quick }, kind) {
  /** @type {Omit<import('../tasks/cycles.mjs').CyclesOptions, 'side'>} */
  const options = { url, keyPrefix, kind, loops: 1, ms: quick ? 50 : 100 };
  const amount = quick
    ? { pairs: 1, warmUps: 12, quads: 10 }
    : { pairs: 3, warmUps: 12, quads: 12 };
  const quads = await compareSides(options, amount);
  const [latency, cpu] = [ratioOf(quads, (r) => r.p50Us), ratioOf(quads, (r) => r.cpuUs)];
  return [
    ratioRow(`${kind}: p50 latency`, latency, us, { is: '<=', limit: 1.15 }),
    ratioRow(`${kind}: client CPU`, cpu, us, { is: '<=', limit: 1.3 }),
  ];
}

/** @type {import('./index.mjs').Figure} */
export const uncontended = {
  id: 'uncontended',
  title: 'uncontended acquire and release',
  async measure(bench) {
    const rows = [];
    for (const kind of /** @type {Kind[]} */ (['lock', 'fenced lock'])) {
      rows.push(...(await countCommands(bench, kind)), ...(await compare(bench, kind)));
    }
    return rows;
  },
};
