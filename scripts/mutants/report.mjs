// @ts-check
// What became of the mistakes, for people.

import { styleText } from 'node:util';
import { folderOf } from './generated.mjs';

/** @typedef {import('./bench.mjs').Verdict} Verdict */

/** Of the generated mistakes so many have to be found: the others are a place to look for a missing test. */
const ENOUGH = 0.75;

/** A smaller sample holds some that nobody could notice and nobody has listed yet, and is different each time: it
 * shows only that tests still look. */
const LARGE = 50;
const SOME = 0.25;

const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;

/** @param {Verdict} verdict */
export function shownVerdict({ mistake, by, how, ms }) {
  // At the end those that were missed are printed again, and the gate begins its report there.
  const mark = by === 'nothing' ? styleText('red', 'missed') : styleText('green', 'found ');
  const answer = by === 'nothing' ? mistake.text : `${by}: ${how}`;
  return `${mark} ${mistake.id} (${seconds(ms)}) ${answer}`;
}

/** @param {Verdict[]} verdicts */
function row(verdicts) {
  const count = (/** @type {Verdict['by']} */ by) =>
    verdicts.filter((verdict) => verdict.by === by).length;
  return [verdicts.length, count('test'), count('generator'), count('time'), count('nothing')];
}

/**
 * @param {Verdict[]} verdicts
 * @param {number} ms
 */
export function printTable(verdicts, ms) {
  for (const isGenerated of [false, true]) {
    const own = verdicts.filter(({ mistake }) => mistake.isGenerated === isGenerated);
    if (own.length > 0) {
      const title = isGenerated ? 'generated' : 'semantic';
      console.log(`\n${title.padEnd(26)}  made  test  gen.  time  missed`);
      const folders = [...new Set(own.map(({ mistake }) => folderOf(mistake.file)))].toSorted();
      const rows = folders.map((folder) => ({
        name: folder,
        counts: row(own.filter(({ mistake }) => folderOf(mistake.file) === folder)),
      }));
      for (const { name, counts } of [...rows, { name: 'all', counts: row(own) }]) {
        console.log(`${name.padEnd(26)} ${counts.map((n) => String(n).padStart(5)).join(' ')}`);
      }
    }
  }
  const each = verdicts.reduce((sum, verdict) => sum + verdict.ms, 0) / verdicts.length;
  console.log(`\n${seconds(ms)}, ${seconds(each)} each, two at a time`);
}

/** All semantic mistakes were found, and enough of the generated ones.
 * @param {Verdict[]} verdicts */
export function enoughFound(verdicts) {
  const generated = verdicts.filter(({ mistake }) => mistake.isGenerated);
  const missed = generated.filter(({ by }) => by === 'nothing').length;
  const isSemanticMissed = verdicts.some(
    (verdict) => verdict.by === 'nothing' && !verdict.mistake.isGenerated,
  );
  const { length } = generated;
  return !isSemanticMissed && missed <= length * (1 - (length < LARGE ? SOME : ENOUGH));
}
