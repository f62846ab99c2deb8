// @ts-check
// `npm run test:interop`: builds the Java program of test/interop and runs the tests in which it
// works beside Node clients. The last line is "N passed, N failed".
//
//   node scripts/interop.mjs [--available] [VITEST ARGUMENT]...
//
// --available  only says, also by its exit code, whether a JDK and Maven are here

import { missingTools } from './lib/java.mjs';
import { run } from './lib/run.mjs';
import { runVitest } from './lib/vitest.mjs';

/** Versions whose fair lock treats a name mapper in two ways. */
const OLDER = ['3.51.0', '3.52.0'];

async function build() {
  console.log('interop: building the Java programs (the first time Maven fetches their libraries)');
  const programs = [
    ['test/interop/java'],
    ...OLDER.map((version) => ['test/interop/java-older', `-Dredisson.version=${version}`]),
  ];
  for (const [folder = '', ...options] of programs) {
    const args = ['--quiet', '--batch-mode', '--file', folder, ...options, 'compile'];
    const { code, output } = await run('mvn', args, { timeoutMs: 10 * 60_000 });
    if (code !== 0) {
      console.error(output);
      return false;
    }
  }
  return true;
}

/** @param {string[]} args */
async function test(args) {
  const missing = await missingTools();
  if (missing.length > 0) {
    console.error(['The interop tests cannot run:', ...missing].join('\n  '));
    return { passed: 0, failed: 1 };
  }
  if (!(await build())) {
    return { passed: 0, failed: 1 };
  }
  const config = ['--config', 'vitest.interop.config.ts'];
  const { passed, failed, skipped } = await runVitest([...config, ...args], {
    timeoutMs: 20 * 60_000,
  });
  // A test that is skipped though nobody chose others is one that was not run.
  return { passed, failed: args.length === 0 ? failed + skipped : failed };
}

/** @param {string[]} args */
async function main(args) {
  if (args.includes('--available')) {
    const missing = await missingTools();
    console.log(['interop:', ...(missing.length === 0 ? ['can run'] : missing)].join(' '));
    process.exitCode = missing.length === 0 ? 0 : 1;
    return;
  }
  const { passed, failed } = await test(args);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main(process.argv.slice(2));
