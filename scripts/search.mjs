// @ts-check
// `npm run search`: looks for what nobody has seen. It holds no commit back. Findings are written to
// out/search/findings.md; the last line is "N checks, N findings", and the exit code says whether there are any.
//
//   node scripts/search.mjs [--minutes M] [--only TEXT]... [--seed S] [--list]
//
// --minutes  for all checks together, default 30; repeating what was found takes up to two more
// --only     only the checks whose name has this in it; may be repeated
// --seed     of the first round of each check; by default a new one
// --list     only says which checks there are, in the order of this commit

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { seedFrom } from './gate/seeds.mjs';
import { root } from './lib/fresh.mjs';
import { searchChecks } from './search/checks.mjs';
import { findingsPage, notReached, slicesTable } from './search/report.mjs';
import { inOrderOf, repeated, search } from './search/run.mjs';

const PAGE = join(root, 'out/search/findings.md');
const REPEAT_MS = 2 * 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    only: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function chosenChecks() {
  const { only } = values;
  const checks = inOrderOf(searchChecks, Number(git('rev-list', '--count', 'HEAD')));
  const chosen = checks.filter(
    ({ name }) => only.length === 0 || only.some((text) => name.includes(text)),
  );
  if (chosen.length === 0) {
    const known = searchChecks.map(({ name }) => `"${name}"`).join(', ');
    throw new RangeError(`--only must be a part of one of ${known}, got "${only.join(' ')}"`);
  }
  return chosen;
}

async function main() {
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && Number.isFinite(minutes))) {
    throw new RangeError(`--minutes must be a number above 0, got "${values.minutes}"`);
  }
  const checks = chosenChecks();
  if (values.list) {
    console.log(checks.map(({ name }) => name).join('\n'));
    return;
  }
  const seed = seedFrom('seed', values.seed);
  const commit = git('rev-parse', '--short', 'HEAD');
  console.log(`search: ${minutes} minutes on ${commit}, ${checks.length} checks, seed ${seed}`);
  mkdirSync(dirname(PAGE), { recursive: true });
  // After each slice, so that a search that is ended keeps what it has found.
  const keep = (/** @type {import('./search/run.mjs').Finding[]} */ all) =>
    writeFileSync(PAGE, findingsPage(all, commit));
  const { slices, findings: found } = await search(checks, { ms: minutes * 60_000, seed, keep });
  const findings = await repeated(found, REPEAT_MS);
  keep(findings);
  console.log(`\n${slicesTable(slices)}`);
  const missed = notReached(slices);
  if (missed.length > 0) {
    console.log(`not reached: ${missed.join(', ')}`);
  }
  console.log(`\n${findingsPage(findings, commit)}\nwritten: out/search/findings.md, seed ${seed}`);
  console.log(`${slices.length - missed.length} checks, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

await main();
