// @ts-check
// `npm run mutants`: makes mistakes in copies of the project, and counts those that are found. The last
// line is "N passed, N failed": found, and not found.
//
//   node scripts/mutants.mjs [--semantic] [--semantic-sample N] [--generated N] [--seed S]
//                            [--only ID]... [--discover] [--list] [--reach]
//
// without options    all mistakes of test/mutants/semantic, and 300 generated ones
// --semantic         only those of test/mutants/semantic: each must be found by the tests it names
// --semantic-sample  only so many of them, by the seed
// --generated        so many generated ones: nine of ten must be found, or stand with the reason why
//                    nobody could notice in test/mutants/unnoticeable.mjs
// --seed             of the samples, default 1
// --only             only mistakes whose id begins so
// --discover         looks for tests that find them, whatever tests they name
// --list             shows the mistakes and makes none
// --reach            only finds out which tests reach what, and writes test/mutants/reach.json

import { parseArgs } from 'node:util';
import { keepFailure } from './lib/failures.mjs';
import { Bench } from './mutants/bench.mjs';
import { generatedMistakes, semanticMistakes } from './mutants/mistakes.mjs';
import { observe } from './mutants/reach.mjs';
import { saveReach } from './mutants/reach-map.mjs';
import { enoughFound, printTable, shownVerdict } from './mutants/report.mjs';

const { values } = parseArgs({
  options: {
    semantic: { type: 'boolean', default: false },
    'semantic-sample': { type: 'string' },
    generated: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    discover: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    reach: { type: 'boolean', default: false },
  },
});

/** With more tests that fail without a mistake, nothing is made. */
const BROKEN_MAX = 3;

/** How many generated mistakes are made when nothing else is said. */
const SAMPLE = 300;

/**
 * @param {string} name
 * @param {string | undefined} value
 */
function numberOf(name, value) {
  const number = Number(value);
  if (!(Number.isInteger(number) && number >= 0)) {
    throw new RangeError(`--${name} must be an integer from 0 on, got "${value}"`);
  }
  return number;
}

/** @returns {Promise<import('./mutants/mistakes.mjs').Mistake[]>} */
async function chosenMistakes() {
  const { semantic, generated, seed, only, discover } = values;
  const sampled = values['semantic-sample'];
  const isWhole = !semantic && sampled === undefined && generated === undefined;
  const count = isWhole && only === undefined ? SAMPLE : numberOf('generated', generated ?? '0');
  const some = sampled === undefined ? undefined : numberOf('semantic-sample', sampled);
  const all = [
    ...(isWhole || semantic || some !== undefined
      ? semanticMistakes(some, numberOf('seed', seed), discover)
      : []),
    ...(await generatedMistakes(count, numberOf('seed', seed))),
  ];
  return only === undefined
    ? all
    : all.filter(({ id }) => only.some((start) => id.startsWith(start)));
}

/** @returns {Promise<number>} the exit code */
async function main() {
  if (values.reach) {
    saveReach(await observe());
    return 0;
  }
  const mistakes = await chosenMistakes();
  if (values.list) {
    for (const { id, text } of mistakes) {
      console.log(`${id}: ${text}`);
    }
    return 0;
  }
  const bench = new Bench();
  const broken = await bench.baseline(mistakes);
  for (const failure of broken) {
    console.error(`fails without any mistake: ${failure}`);
  }
  if (broken.length > BROKEN_MAX) {
    keepFailure('mutants', ['tests fail without any mistake:', ...broken].join('\n'));
    return 1;
  }
  const startedAt = performance.now();
  let done = 0;
  const verdicts = await bench.judge(mistakes, (verdict) => {
    done += 1;
    console.log(`${done}/${mistakes.length} ${shownVerdict(verdict)}`);
  });
  const finders = verdicts.map(({ finder }) => finder ?? '').filter((file) => file !== '');
  const [unsound] = await bench.baseline([], finders);
  if (unsound !== undefined) {
    const message = `a test that has found mistakes fails without any: ${unsound}`;
    console.error(message);
    keepFailure('mutants', message);
    return 1;
  }
  printTable(verdicts, performance.now() - startedAt);
  const missed = verdicts.filter(({ by }) => by === 'nothing');
  console.log(`\n${verdicts.length - missed.length} passed, ${missed.length} failed`);
  if (verdicts.length > 0 && enoughFound(verdicts)) {
    return 0;
  }
  keepFailure('mutants that no test finds', missed.map(shownVerdict).join('\n'));
  return 1;
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  // What runs in groups of its own, and the copies, go at exit.
  process.on(signal, () => process.exit(1));
}
process.exitCode = await main();
