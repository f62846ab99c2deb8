// @ts-check
// `npm run trace`: through how many files and functions one operation walks, beside the ceilings in
// scripts/trace/ceilings.json, which may only fall. Exit code 1 where a figure is above its ceiling.
//
//   node scripts/trace.mjs [--files] [--lower]
//
// --files  also prints the files of each operation, in the order in which they are entered first
// --lower  writes the figures that are below their ceilings as the new ceilings

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs, styleText } from 'node:util';
import Table from 'cli-table3';
import { Redis } from 'ioredis';
import { startRedis } from './redis/provider.mjs';
import { instrument } from './trace/instrument.mjs';
import { walkThrough } from './trace/operations.mjs';
import { filesOf, walkOf } from './trace/route.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'boolean', default: false },
    lower: { type: 'boolean', default: false },
  },
});

const CEILINGS = new URL('trace/ceilings.json', import.meta.url);

/** Pings and renewals come in between: the shortest of so many walks counts. */
const ROUNDS = 5;

const COLUMNS = /** @type {const} */ (['files', 'functions', 'calls', 'moves', 'returns']);

/** @typedef {import('./trace/route.mjs').Walk} Walk */

/** @returns {Promise<Map<string, { walk: Walk, route: string[] }>>} */
async function shortestWalks() {
  /** @type {Map<string, { walk: Walk, route: string[] }>} */
  const shortest = new Map();
  const server = await startRedis({ purpose: 'test' });
  const raw = new Redis(server.url);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await walkThrough({ url: server.url, raw }, (name, route) => {
        const walk = walkOf(route);
        const best = shortest.get(name);
        if (best === undefined || walk.calls < best.walk.calls) {
          shortest.set(name, { walk, route });
        }
      });
    }
  } finally {
    raw.disconnect();
    await server.stop();
  }
  return shortest;
}

instrument();
const walks = await shortestWalks();
const ceilings = /** @type {Record<string, Walk>} */ (JSON.parse(await readFile(CEILINGS, 'utf8')));
const table = new Table({
  head: ['operation', ...COLUMNS],
  style: { head: [], border: [], compact: true },
});
/** @type {string[]} */
const above = [];
for (const [name, { walk, route }] of walks) {
  const ceiling = ceilings[name];
  const cells = COLUMNS.map((column) => {
    const most = ceiling?.[column] ?? Number.POSITIVE_INFINITY;
    return walk[column] > most ? styleText('red', `${walk[column]} > ${most}`) : walk[column];
  });
  table.push([name, ...cells]);
  if (COLUMNS.some((column) => walk[column] > (ceiling?.[column] ?? Number.POSITIVE_INFINITY))) {
    above.push(name);
  }
  if (values.files) {
    console.log(`${name}:\n  ${filesOf(route).join('\n  ')}\n`);
  }
  if (values.lower) {
    const lowest = COLUMNS.map((column) => [
      column,
      Math.min(walk[column], ceiling?.[column] ?? walk[column]),
    ]);
    ceilings[name] = /** @type {Walk} */ (Object.fromEntries(lowest));
  }
}
console.log(table.toString());
if (values.lower) {
  await writeFile(CEILINGS, `${JSON.stringify(ceilings, undefined, 2)}\n`);
}
console.log(`${walks.size - above.length} passed, ${above.length} failed`);
process.exitCode = above.length === 0 ? 0 : 1;
