// @ts-check
// The gate, `.ci/run`: whether a commit is worse than the one before it, with the same answer each time. Installs,
// runs `npm test` and `npm run test:gate`, and judges both together. The last line is "N passed, N failed".

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetched } from './gate/fetch.mjs';
import { run } from './lib/run.mjs';

/** @typedef {import('./gate/outcome.mjs').Outcome} Outcome */

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const INSTALL_LIMIT_MS = 5 * 60_000;
const COMMAND_LIMIT_MS = 40 * 60_000;

async function install() {
  const startedAt = performance.now();
  await fetched(
    'npm ci',
    async () => await run('npm', INSTALL, { show: true, timeoutMs: INSTALL_LIMIT_MS }),
  );
  return performance.now() - startedAt;
}

/**
 * Runs a command of package.json, and reads what came of its checks.
 *
 * @param {string} name
 * @param {string} folder
 * @returns {Promise<Outcome[]>}
 */
async function outcomesOf(name, folder) {
  const { OUTCOMES } = await import('./gate/conclude.mjs');
  const { outcomeSince } = await import('./gate/outcome.mjs');
  const startedAt = performance.now();
  const file = join(folder, `${name.replace(':', '-')}.json`);
  const env = { [OUTCOMES]: file };
  const options = { env, show: true, timeoutMs: COMMAND_LIMIT_MS };
  const { code } = await run('npm', ['run', name, '--silent'], options);
  /** @type {string} */
  let details;
  try {
    const outcomes = /** @type {Outcome[]} */ (JSON.parse(readFileSync(file, 'utf8')));
    if (code === 0 || outcomes.some(({ failures }) => failures.length > 0)) {
      return outcomes;
    }
    details = `exit code ${code}, and none of its checks has failed`;
  } catch {
    details = `exit code ${code}, and it left no outcomes`;
  }
  const repeat = `npm run ${name}`;
  const failures = [{ name: repeat, details, repeat, canBeBadLuck: false }];
  return [outcomeSince(name, startedAt, { failures })];
}

async function main() {
  const startedAt = performance.now();
  const installMs = await install();
  // What is installed by now is imported by now.
  const { judge } = await import('./gate/judge.mjs');
  const { report } = await import('./gate/report.mjs');
  const { outcomeSince } = await import('./gate/outcome.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-gate-'));
  try {
    const installed = { ...outcomeSince('install', startedAt, { passed: 1 }), ms: installMs };
    const outcomes = [
      installed,
      ...(await outcomesOf('test', folder)),
      ...(await outcomesOf('test:gate', folder)),
    ];
    return report(await judge(outcomes), startedAt);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let isGood = false;
try {
  isGood = await main();
} catch (error) {
  console.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  console.log('FAILED the gate itself\n\n0 passed, 1 failed');
}
process.exitCode = isGood ? 0 : 1;
