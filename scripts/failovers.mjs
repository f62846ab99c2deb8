// @ts-check
// `npm run failovers`: kills masters under load, and counts what that costs. The last line is
// "N passed, N failed", in runs: lost grants are counted, and make no run fail.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { root } from './lib/fresh.mjs';
import { seedFrom } from './gate/seeds.mjs';
import { Crew } from './failovers/crew.mjs';
import { report, withTable } from './failovers/report.mjs';
import { carryOut } from './failovers/run.mjs';
import { topologies } from './failovers/stages/index.mjs';

const HELP = `npm run failovers -- [options]

  --runs N         so many of each kind, default 20
  --topology NAME  only this one: ${[...topologies.keys()].join(', ')}
  --replicas WHICH only with the option \`replicas\` ("on"), or without it ("off")
  --kill SHAPE     only "plain", or "lagging": the replicas have not got what was written just before
  --seed S         the first seed, default a random one
  --jobs N         so many at a time, default 2
  --page           also writes the table into docs/guarantees.md
`;

/** How often progress is printed where there is no terminal. */
const SHOW_EVERY_MS = 10_000;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    topology: { type: 'string' },
    replicas: { type: 'string' },
    kill: { type: 'string' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    page: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @typedef {import('./failovers/run.mjs').Plan} Plan @typedef {import('./failovers/run.mjs').Result} Result */

/** @param {string} name @param {string} text @param {number} least */
function integer(name, text, least) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`--${name} must be an integer from ${least}, got "${text}"`);
  }
  return value;
}

/** @param {string} name @param {string | undefined} value @param {string[]} known */
function oneOf(name, value, known) {
  if (value !== undefined && !known.includes(value)) {
    throw new RangeError(`--${name} must be one of ${known.join(', ')}, got "${value}"`);
  }
  return (/** @type {string} */ each) => value === undefined || value === each;
}

/** @returns {Omit<Plan, 'seed'>[]} the kinds of run that were asked for */
function kinds() {
  const isTopology = oneOf('topology', values.topology, [...topologies.keys()]);
  const isReplicas = oneOf('replicas', values.replicas, ['on', 'off']);
  const isShape = oneOf('kill', values.kill, ['plain', 'lagging']);
  return [...topologies].flatMap(([topology, { shapes, takesReplicas }]) =>
    shapes.flatMap((shape) =>
      (takesReplicas ? [false, true] : [false]).flatMap((replicas) =>
        isTopology(topology) && isShape(shape) && isReplicas(replicas ? 'on' : 'off')
          ? [{ topology, shape, replicas }]
          : [],
      ),
    ),
  );
}

/**
 * @param {Plan[]} plans
 * @param {number} jobs
 */
async function carryOutAll(plans, jobs) {
  /** @type {Result[]} */
  const results = [];
  const screen = createLogUpdate(process.stderr);
  const startedAt = performance.now();
  let shownAt = startedAt;
  const show = () => {
    const failed = results.filter(({ problems }) => problems.length > 0).length;
    const leftMs =
      ((performance.now() - startedAt) / results.length) * (plans.length - results.length);
    const line = `failovers: ${results.length} of ${plans.length}, ${failed} failed, ${Math.ceil(leftMs / 1_000)} s left`;
    if (process.stderr.isTTY) {
      screen(line);
    } else if (performance.now() - shownAt > SHOW_EVERY_MS) {
      shownAt = performance.now();
      console.log(line);
    }
  };
  const waiting = plans.values();
  const work = async () => {
    const crew = await Crew.start();
    for (const plan of waiting) {
      results.push(await carryOut(plan, crew));
      show();
    }
    crew.stop();
  };
  await Promise.all(Array.from({ length: jobs }, work));
  screen.clear();
  // In the order of the plans: several were at work.
  return results.toSorted((one, other) => one.seed - other.seed);
}

async function main() {
  // Each server that is started ends with this process.
  process.setMaxListeners(0);
  if (values.help) {
    console.log(HELP);
    return;
  }
  const runs = integer('runs', values.runs, 1);
  const seed = seedFrom('seed', values.seed);
  const jobs = integer('jobs', values.jobs, 1);
  const chosen = kinds();
  console.log(`failovers: ${runs} of each of ${chosen.length} kinds, from seed ${seed}`);
  // All kinds in turn: what the machine does meanwhile is the same for each.
  const plans = Array.from({ length: runs }, (_, run) =>
    chosen.map((kind, index) => ({ ...kind, seed: seed + 1_000 * (run * chosen.length + index) })),
  ).flat();
  const results = await carryOutAll(plans, Math.min(jobs, plans.length));
  console.log(report(results));
  const bad = results.filter(({ problems }) => problems.length > 0);
  for (const { topology, shape, replicas, seed: own, problems } of bad) {
    const title = `${topology}, ${shape}, replicas ${replicas ? 'on' : 'off'}, seed ${own}`;
    console.log(`${styleText('red', 'FAIL')} ${title}\n  ${problems.join('\n  ')}`);
  }
  if (values.page) {
    const page = join(root, 'docs/guarantees.md');
    const command = `npm run failovers -- --runs ${runs}`;
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), results, command));
    console.log(styleText('dim', `written: ${page}`));
  }
  console.log(`\n${results.length - bad.length} passed, ${bad.length} failed`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

await main();
