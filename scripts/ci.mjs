// @ts-check
// The gate, `.ci/run`: whether a commit is worse than the one before it, with the same answer each time. Installs,
// runs `npm test` and `npm run test:gate`, and judges both together. The last line is "N passed, N failed".

import { fetched } from './gate/fetch.mjs';
import { run } from './lib/run.mjs';

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const INSTALL_LIMIT_MS = 5 * 60_000;
const COMMAND_LIMIT_MS = 40 * 60_000;

async function install() {
  const startedAt = performance.now();
  await fetched(
    'npm ci',
    async (timeoutMs) => await run('npm', INSTALL, { show: true, timeoutMs }),
    { limitMs: INSTALL_LIMIT_MS },
  );
  return performance.now() - startedAt;
}

/** What is tested depends on the commit alone: no seed is drawn, and no variable chooses other tests. */
function fixEnvironment() {
  process.env['CI'] = '1';
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('REDLATCH_') && name !== 'REDLATCH_TEST_REDIS_URL') {
      delete process.env[name];
    }
  }
}

async function main() {
  const startedAt = performance.now();
  fixEnvironment();
  const installMs = await install();
  // What is installed by now is imported by now.
  const { judge, judgeStrictly } = await import('./gate/judge.mjs');
  const { report } = await import('./gate/report.mjs');
  const { outcomeSince } = await import('./gate/outcome.mjs');
  const { outcomesOfCommand } = await import('./gate/command.mjs');
  const { serverBinary } = await import('./redis/provider.mjs');
  // Fetched where it is not there: tests would do that within their time limits.
  await serverBinary();
  const installed = { ...outcomeSince('install', startedAt, { passed: 1 }), ms: installMs };
  const outcomes = [installed];
  for (const name of ['test', 'test:gate']) {
    const command = await outcomesOfCommand('npm', ['run', name, '--silent'], {
      repeat: `npm run ${name}`,
      show: true,
      timeoutMs: COMMAND_LIMIT_MS,
    });
    outcomes.push(...command.outcomes);
  }
  const verdict = await judge(outcomes).catch((error) => {
    const why = `nothing was run again: ${String(error)}`;
    return { ...judgeStrictly(outcomes), note: why };
  });
  return report(verdict, startedAt);
}

let isGood = false;
try {
  isGood = await main();
} catch (error) {
  console.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  console.log('FAILED the gate itself\n\n0 passed, 1 failed');
}
process.exitCode = isGood ? 0 : 1;
