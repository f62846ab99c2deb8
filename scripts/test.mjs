// @ts-check
// `npm test`: the build, then the whole test suite, and the other static checks beside it: tests wait for most
// of the time. The last line is "N passed, N failed", where each static check counts as one.
//
//   node scripts/test.mjs [--static] [--stage NAME]... [VITEST ARGUMENT]...
//
// --static   the static checks only
// --stage    these static checks only
// otherwise  arguments go to vitest, and only vitest runs
//
// What `npm run test:long` does at greater length is left to it, unless it is asked for.

import { parseArgs, styleText } from 'node:util';
import { distIsFresh } from './lib/fresh.mjs';
import { keepFailure } from './lib/failures.mjs';
import { runStages, stages } from './lib/stages.mjs';
import { runSuite } from './lib/suite.mjs';
import { runVitest } from './lib/vitest.mjs';

/**
 * @typedef {{ name: string, passed: number, failed: number, skipped: number, ms: number }} Row
 */

/** Models, chaos, the package, the demo and earlier builds: each of them costs ten to fifty seconds of CPU. */
const LONG = ['property', 'chaos', 'package', 'demo', 'recipes', 'versions'];

/** The static checks look at the documents. */
const DOCUMENTS = 'examples/readme.test.ts';

/** Of a failed check; the check itself, run alone, shows the rest. */
const shownLines = 150;

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * @param {string[]} names
 * @returns {Promise<Row[]>}
 */
async function staticRows(names) {
  const unknown = names.find((name) => !stages.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    const known = stages.map((stage) => `"${stage.name}"`).join(', ');
    throw new RangeError(`--stage must be one of ${known}, got "${unknown}"`);
  }
  const wanted = stages.filter(({ name }) => names.length === 0 || names.includes(name));
  // A chosen check may need a build that nobody asked for.
  const needsBuild = wanted.some((stage) => stage.after.includes('build')) && !distIsFresh();
  const chosen = stages.filter(
    (stage) => wanted.includes(stage) || (needsBuild && stage.name === 'build'),
  );
  const results = await runStages(chosen, ({ name, ok, ms, output }) => {
    const mark = ok ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
    console.log(`${mark} ${name} (${seconds(ms)})`);
    if (!ok) {
      const lines = output.trimEnd().split('\n');
      const more = lines.length > shownLines ? [`... ${lines.length - shownLines} more lines`] : [];
      const shown = [...lines.slice(0, shownLines), ...more];
      console.log(shown.map((line) => `     ${line}`).join('\n'));
      keepFailure(`static check ${name}`, output);
    }
  });
  return results.map(({ name, ok, ms }) => ({
    name,
    passed: ok ? 1 : 0,
    failed: ok ? 0 : 1,
    skipped: 0,
    ms,
  }));
}

/** @param {Row[]} rows */
function printTable(rows) {
  const width = Math.max(...rows.map((row) => row.name.length));
  console.log('');
  for (const { name, passed, failed, skipped, ms } of rows) {
    const skippedToo = skipped === 0 ? '' : `, ${skipped} skipped`;
    const counts = `${passed} passed, ${failed} failed${skippedToo}`;
    console.log(`${name.padEnd(width)}  ${seconds(ms).padStart(8)}  ${counts}`);
  }
}

/** @returns {Promise<Row[]>} */
async function suiteRows() {
  const which = { without: [...LONG, DOCUMENTS] };
  const options = { env: { REDLATCH_TEST_COMPILED: '1' }, timeoutMs: 10 * 60_000 };
  const runs = await runSuite(which, options);
  return runs.map(({ name, tally }) => ({ name, ...tally }));
}

const own = /** @type {const} */ ({
  static: { type: 'boolean' },
  stage: { type: 'string', multiple: true },
});

/** @param {string[]} argv */
async function main(argv) {
  const { values, tokens } = parseArgs({ args: argv, options: own, strict: false, tokens: true });
  const names = /** @type {string[]} */ (values.stage ?? []);
  const ours = new Set(
    tokens.flatMap((token) =>
      token.kind === 'option' && token.name in own
        ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])]
        : [],
    ),
  );
  const rest = argv.filter((_, index) => !ours.has(index));
  const startedAt = performance.now();
  /** @type {Row[]} */
  const rows = [];
  if (rest.length > 0) {
    rows.push({ name: 'vitest', ...(await runVitest(rest, { timeoutMs: 10 * 60_000 })) });
  } else if (values.static === true || names.length > 0) {
    rows.push(...(await staticRows(names)));
  } else {
    rows.push(...(await staticRows(['build'])));
    const others = stages.map(({ name }) => name).filter((name) => name !== 'build');
    rows.push(...(await Promise.all([staticRows(others), suiteRows()])).flat());
  }
  const passed = rows.reduce((sum, row) => sum + row.passed, 0);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  printTable(rows);
  console.log(`total ${seconds(performance.now() - startedAt)}\n`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main(process.argv.slice(2));
