// @ts-check
// `npm run simulate`: runs the real code in simulated worlds, and checks what it told its users.
//
//   node scripts/simulate.mjs [--seed S] [--seeds N] [--only KIND] [--jobs N] [--show N] [--first] [--replay] [--traces | --keep-traces]
//
// --seed    the first seed (default: a new one, printed)
// --seeds   how many (default 5,000)
// --only    one kind of object; otherwise they take turns
// --jobs    processes that work side by side (default: one for each core)
// --show    how many failures are told (default 5)
// --first   stops at the first seed that fails
// --replay  tells the story of the first seed, also when nothing is wrong with it
//
// --traces  compares what is sent and what users see, from seed 0 on, with the hashes that are kept in
//           test/simulation/traces.txt: a kind whose traces differ is a failure
// --keep-traces  writes these hashes, for 22,000 seeds, or of those the ones of --only: the commit says which kinds
//           changed, and why
//
// Exit code 1 when a property is violated. The last line is "N passed, N failed", in seeds.

import { availableParallelism } from 'node:os';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs, styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { drawSeed } from './gate/seeds.mjs';
import { bundleSimulation, removeBundle } from './simulation/bundle.mjs';
import { Totals } from './simulation/totals.mjs';
import { batchesOf, changedTraces, KEPT_SEEDS, keepTraces } from './simulation/traces.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '5000' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    replay: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    show: { type: 'string', default: '5' },
    traces: { type: 'boolean', default: false },
    'keep-traces': { type: 'boolean', default: false },
  },
});

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 */
function integer(name, text, least) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`--${name} must be an integer from ${least}, got "${text}"`);
  }
  return value;
}

const keeps = values['keep-traces'];
const areTraced = values.traces || keeps;
const wanted = keeps ? KEPT_SEEDS : integer('seeds', values.seeds, 1);
const seeds = values.replay ? 1 : wanted;
// The traces that are kept begin with the first seed of all.
const chosen = areTraced ? '0' : values.seed;
const first = chosen === undefined ? drawSeed() : integer('seed', chosen, 0);
const jobs = Math.min(seeds, integer('jobs', values.jobs, 1));
const shown = integer('show', values.show, 0);
const bundle = await bundleSimulation();
const totals = new Totals(seeds);
const screen = createLogUpdate(process.stderr);
const isWatched = process.stderr.isTTY;

console.log(
  `seeds ${first} to ${first + seeds - 1}${values.only === undefined ? '' : `, only ${values.only}`}`,
);
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
let toldAt = 0;

function progress() {
  const line = totals.progress(seconds());
  if (isWatched) {
    screen(line);
  } else if (seconds() - toldAt > 10) {
    toldAt = seconds();
    console.log(line);
  }
}

/** @param {number} job */
async function work(job) {
  const args = ['--seed', String(first + job), '--step', String(jobs)];
  const more = [
    ...(values.only === undefined ? [] : ['--only', values.only]),
    ...(values.replay ? ['--replay'] : []),
    ...(values.first ? ['--first'] : []),
    ...(areTraced ? ['--traces'] : []),
  ];
  const child = fork(bundle, [...args, '--end', String(first + seeds), ...more], {
    // Young objects are most of what a run makes.
    execArgv: ['--max-semi-space-size=64', '--enable-source-maps', '--no-warnings'],
  });
  process.once('exit', () => child.kill());
  child.on('message', (message) => {
    totals.add(/** @type {import('./simulation/totals.mjs').Message} */ (message));
    progress();
  });
  const [code] = /** @type {[number | null]} */ (await once(child, 'exit'));
  return code;
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => process.exit(1));
}
const codes = await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
await removeBundle(bundle);
screen.clear();
console.log(totals.table());
for (const failure of totals.failures.slice(0, shown)) {
  console.log(`${styleText('red', 'FAIL')} ${failure}\n`);
}
if (totals.failures.length > shown) {
  console.log(`... and ${totals.failures.length - shown} more\n`);
}
const batches = batchesOf(totals.traced);
const changed = keeps || !areTraced ? [] : await changedTraces(batches);
for (const text of changed) {
  console.log(`${styleText('red', 'FAIL')} the traces of ${text} differ from those that are kept`);
}
if (keeps) {
  await keepTraces(batches);
}
const perMinute = Math.round((totals.done / seconds()) * 60);
console.log(`${perMinute} seeds a minute in ${jobs} processes, ${totals.counted} of them counted`);
const isShort = totals.done < seeds && !(values.first && totals.failedSeeds.size > 0);
const broken = codes.some((code) => code !== 0) || isShort;
if (broken) {
  console.log('a process of the simulation has failed');
}
const failed = totals.failedSeeds.size + changed.length + (broken ? 1 : 0);
console.log(`${totals.done - totals.failedSeeds.size} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
