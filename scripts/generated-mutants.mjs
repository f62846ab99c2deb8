// @ts-check
// `npm run mutants:generated`: Stryker makes mistakes in TypeScript, and runs the unit tests that import
// the file. The last line is "N passed, N failed": found, and not found.
//
//   node scripts/generated-mutants.mjs [--sample N] [--seed S] [FILE]...
//
// FILE      of src/; without any, all that a unit test imports
// --sample  only so many of the small ones among them, by the seed
// --seed    default 1
//
// What has not changed since the last run is not tried again: it is kept in temp/stryker. The exit code is
// 1 when less than a quarter of the mistakes is found that the tests reach.

import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { root } from './lib/fresh.mjs';
import { shuffled } from './mutants/generated.mjs';
import { isSmall, unitTested } from './mutants/unit-tested.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
});

/** Some change nothing that anybody could notice, and a sample is different each time: it shows only that tests
 * still look. */
const SOME = 0.25;

/** @typedef {Awaited<ReturnType<Stryker['runMutationTest']>>[number]} MutantResult */

const testsOf = unitTested();

/** @returns {string[]} */
function chosenFiles() {
  const files = positionals.length > 0 ? positionals : [...testsOf.keys()];
  const unknown = files.find((file) => !testsOf.has(file));
  if (unknown !== undefined) {
    throw new RangeError(`no unit test imports ${unknown}`);
  }
  if (values.sample === undefined) {
    return files;
  }
  const count = Number(values.sample);
  if (!Number.isInteger(count) || count < 1) {
    throw new RangeError(`--sample must be an integer from 1 on, got "${values.sample}"`);
  }
  return shuffled(files.filter(isSmall), Number(values.seed)).slice(0, count);
}

/** @param {MutantResult} result */
function shownMistake({ fileName, location, mutatorName, replacement }) {
  const { line, column } = location.start;
  const to = replacement.replaceAll(/\s+/g, ' ').slice(0, 70);
  return `${relative(root, fileName)}:${line}:${column} ${mutatorName} -> ${to}`;
}

let found = 0;
/** @type {string[]} */
const missed = [];
console.log('found missed unreached');
for (const file of chosenFiles()) {
  const name = file.replaceAll('/', '+');
  const results = await new Stryker({
    mutate: [file],
    testFiles: testsOf.get(file) ?? [],
    incremental: true,
    incrementalFile: join('temp/stryker', `${name}.json`),
  }).runMutationTest();
  const countOf = (/** @type {MutantResult['status'][]} */ ...statuses) =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const survivors = results.filter(({ status }) => status === 'Survived').map(shownMistake);
  const own = countOf('Killed', 'Timeout');
  const counts = [own, survivors.length, countOf('NoCoverage')];
  console.log(`${counts.map((count) => String(count).padStart(5)).join(' ')}     ${file}`);
  for (const survivor of survivors) {
    console.log(`  MISSED ${survivor}`);
  }
  found += own;
  missed.push(...survivors);
}
console.log(`\n${found} passed, ${missed.length} failed`);
const isEnough = found > 0 && found >= (found + missed.length) * SOME;
process.exitCode = isEnough ? 0 : 1;
