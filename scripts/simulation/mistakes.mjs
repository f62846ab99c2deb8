// @ts-check
// Which mistakes does the simulation find, and after how many seeds? Each of test/mutants/semantic is
// made in a copy of the project, and seeds are run there until one fails.
//
//   node scripts/simulation/mistakes.mjs [--seeds N] [--kind KIND] [--only ID]... [--jobs N]
//
// --seeds  how many seeds at most (default 2,000), of all kinds of object in turn
// --kind   seeds of one kind of object alone
// --only   only mistakes whose id begins so
// --jobs   copies that are worked on side by side (default 2)
//
// It says what the simulation can see: a mistake that it does not find has a test that does. The exit
// code is 1 when one is not found that was a real bug (docs/track-record.md), and that it can see.

import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { run } from '../lib/run.mjs';
import { changedBy, semanticMistakes } from '../mutants/mistakes.mjs';
import { Tree } from '../mutants/tree.mjs';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    kind: { type: 'string' },
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
  },
});

/** @typedef {import('../mutants/mistakes.mjs').Mistake} Mistake */

/** Bugs of "Sound again" that a simulation can see, and those that it has found itself. */
const REAL_BUGS = new Set([
  'forced-release-keeps-earlier',
  'grant-of-earlier-semaphore',
  'unmarked-permits-lost',
  'half-open-never',
  'half-open-rearmed',
  'ghost-reader',
  'outage-forgets-permits',
  'lock-without-ttl',
  'fair-late-place',
]);

const mistakes = semanticMistakes(undefined, 1).filter(
  ({ id }) => values.only?.some((only) => id.startsWith(only)) ?? true,
);
/** @type {Map<string, { seeds: number | undefined, how: string }>} */
const found = new Map();

/**
 * @param {Mistake} mistake
 * @param {Tree} tree
 */
async function look(mistake, tree) {
  const read = (/** @type {string} */ file) => tree.read(file);
  const { files, refusal } = changedBy(mistake, read);
  if (refusal !== undefined) {
    return { seeds: 0, how: 'refused by the generator' };
  }
  for (const [file, text] of files) {
    tree.write(file, text);
  }
  const script = `${tree.root}/scripts/simulate.mjs`;
  const args = ['--seed', '1', '--seeds', values.seeds, '--jobs', '1', '--first'];
  if (values.kind !== undefined) {
    args.push('--only', values.kind);
  }
  const { output } = await run(process.execPath, [script, ...args], { timeoutMs: 10 * 60_000 });
  tree.restore();
  const [, seed, how] = /seed (\d+) (\([a-z-]+\): [^:]+)/u.exec(output) ?? [];
  if (seed === undefined && !output.trimEnd().endsWith(' 0 failed')) {
    return { seeds: 0, how: `no run: ${output.slice(-200)}` };
  }
  return { seeds: seed === undefined ? undefined : Number(seed), how: how ?? '' };
}

const waiting = [...mistakes];
async function work() {
  const tree = new Tree();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const result = await look(next, tree);
    found.set(next.id, result);
    console.log(`${next.id}: ${result.seeds ?? 'not found'} ${result.how}`);
  }
  tree.remove();
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const table = new Table({ head: ['mistake', 'found after seeds', 'by'] });
for (const { id } of mistakes) {
  const { seeds, how } = found.get(id) ?? { seeds: undefined, how: '' };
  table.push([id, seeds ?? '-', how]);
}
console.log(table.toString());
const count = [...found.values()].filter(({ seeds }) => seeds !== undefined).length;
console.log(`${count} of ${mistakes.length} mistakes were found within ${values.seeds} seeds`);
const missed = [...found].filter(([id, { seeds }]) => REAL_BUGS.has(id) && seeds === undefined);
for (const [id] of missed) {
  console.log(`not found, and it was a real bug: ${id}`);
}
process.exitCode = missed.length === 0 ? 0 : 1;
