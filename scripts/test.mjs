// @ts-check
// `npm test`: the build, then the first part of the test suite, and the other static checks beside it: tests wait for
// most of the time. The last line is "N passed, N failed", where each static check counts as one.
//
//   node scripts/test.mjs [--strict]
//   node scripts/test.mjs [--static] [--stage NAME]...
//   node scripts/test.mjs VITEST ARGUMENT...
//
// --strict   a test that fails is not run again
// --static   the static checks only
// --stage    these static checks only
// otherwise  arguments go to vitest, and only vitest runs: nothing is run again
//
// `npm run test:gate` runs what it leaves out.

import { parseArgs, styleText } from 'node:util';
import { conclude, handOver } from './gate/conclude.mjs';
import { fromFailure, outcomeOf, vitestOutcome } from './gate/outcome.mjs';
import { distIsFresh } from './lib/fresh.mjs';
import { stopYielding } from './lib/run.mjs';
import { runStages, stages } from './lib/stages.mjs';
import { FIRST, suiteOutcome } from './lib/suite.mjs';

/** @typedef {import('./gate/outcome.mjs').Outcome} Outcome */

const LIMIT_MS = 15 * 60_000;
const SUITE = 'the first part of the suite';

/** Of a failed check; the check itself, run alone, shows the rest. */
const shownLines = 150;

/**
 * @param {string[]} names
 * @returns {Promise<Outcome[]>} in the order of the stages
 */
async function staticOutcomes(names) {
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
  /** @type {Outcome[]} */
  const outcomes = [];
  await runStages(chosen, ({ name, ok, ms, output }) => {
    const mark = ok ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
    console.log(`${mark} ${name} (${(ms / 1000).toFixed(1)} s)`);
    if (!ok) {
      const lines = output.trimEnd().split('\n');
      const more = lines.length > shownLines ? [`... ${lines.length - shownLines} more lines`] : [];
      const shown = [...lines.slice(0, shownLines), ...more];
      console.log(shown.map((line) => `     ${line}`).join('\n'));
    }
    const repeat = `npm run check -- --stage '${name}'`;
    const details = fromFailure(output);
    const failure = { name: `static check ${name}`, details, repeat, canBeBadLuck: false };
    const failures = ok ? [] : [failure];
    const outcome = { name, passed: ok ? 1 : 0, skipped: 0, ms, failures, missing: [] };
    outcomes.push(outcome);
    handOver(outcome);
  });
  const place = (/** @type {Outcome} */ { name }) =>
    chosen.findIndex((stage) => stage.name === name);
  return outcomes.toSorted((one, other) => place(one) - place(other));
}

/** @returns {Promise<Outcome>} */
const suite = async () =>
  await outcomeOf(
    SUITE,
    'npm test',
    async () =>
      await suiteOutcome(SUITE, FIRST, {
        env: { REDLATCH_TEST_COMPILED: '1' },
        timeoutMs: LIMIT_MS,
      }),
  );

const own = /** @type {const} */ ({
  static: { type: 'boolean' },
  strict: { type: 'boolean' },
  stage: { type: 'string', multiple: true },
});

/** @param {string[]} argv */
async function main(argv) {
  const startedAt = performance.now();
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
  /** @type {Outcome[]} */
  const outcomes = [];
  if (rest.length > 0) {
    const chosen = { files: rest, timeoutMs: LIMIT_MS, failuresMax: 0 };
    outcomes.push(await vitestOutcome('vitest', chosen));
  } else if (values.static === true || names.length > 0) {
    outcomes.push(...(await staticOutcomes(names)));
  } else {
    const [build] = await staticOutcomes(['build']);
    if (build !== undefined && build.failures.length > 0) {
      // Nothing else would say more.
      process.exitCode = (await conclude([build], { startedAt, isStrict: true })) ? 0 : 1;
      return;
    }
    outcomes.push(...(build === undefined ? [] : [build]));
    const others = stages.map(({ name }) => name).filter((name) => name !== 'build');
    const [results, tests] = await Promise.all([
      staticOutcomes(others),
      suite().finally(stopYielding),
    ]);
    handOver(tests);
    outcomes.push(...results, tests);
  }
  const isStrict = values.strict === true || rest.length > 0;
  process.exitCode = (await conclude(outcomes, { startedAt, isStrict })) ? 0 : 1;
}

await main(process.argv.slice(2));
