// @ts-check
// An object that nobody else wants: commands, latency and CPU of an acquire and release.
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';
import { acquirer, setUp } from '../lib/kinds.mjs';
import { ratioRow, us } from '../lib/report.mjs';
import { compareSides } from '../lib/sides.mjs';
import { ratioOf } from '../lib/stats.mjs';

/** @typedef {import('./index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../lib/kinds.mjs').Kind} Kind */

/** @type {readonly Kind[]} */
const KINDS = [
  'lock',
  'fenced lock',
  'fair lock',
  'write lock',
  'read lock',
  'semaphore',
  'permit-expirable semaphore',
];

/** Of the others it only informs: it shows in their latency, which is judged.
 * @type {Partial<Record<Kind, import('../lib/report.mjs').Target>>} */
const CPU_TARGETS = { lock: { is: '<=', limit: 1.3 }, 'fenced lock': { is: '<=', limit: 1.3 } };

const CYCLES = 100;

/**
 * @param {Bench} bench
 * @param {Kind} kind
 * @returns {Promise<Row[]>}
 */
async function countCommands({ url, keyPrefix }, kind) {
  const counter = new CommandCounter(url);
  const client = createClient({ redis: url, keyPrefix });
  const name = `counted:${kind}`;
  await setUp(client, kind, name);
  const acquire = acquirer(client, kind, name);
  const cycle = async () => {
    const grant = await acquire();
    await grant.release();
  };
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
  const options = {
    url,
    keyPrefix,
    kind,
    loops: 1,
    warmUps: quick ? 5_000 : 8_000,
    ms: quick ? 30 : 50,
  };
  const amount = quick ? { pairs: 1, quads: 8 } : { pairs: 3, quads: 12 };
  const quads = await compareSides(options, amount);
  const [latency, cpu] = [ratioOf(quads, (r) => r.p50Us), ratioOf(quads, (r) => r.cpuUs)];
  return [
    ratioRow(`${kind}: p50 latency`, latency, us, { is: '<=', limit: 1.15 }),
    ratioRow(`${kind}: client CPU`, cpu, us, CPU_TARGETS[kind]),
  ];
}

/** @type {import('./index.mjs').Figure} */
export const uncontended = {
  id: 'uncontended',
  title: 'uncontended acquire and release',
  async measure(bench) {
    const rows = [];
    for (const kind of KINDS) {
      rows.push(...(await countCommands(bench, kind)), ...(await compare(bench, kind)));
    }
    return rows;
  },
};
