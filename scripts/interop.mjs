// @ts-check
// `npm run test:interop`: builds the Java program of test/interop and runs the tests in which it
// works beside Node clients. The last line is "N passed, N failed".
//
//   node scripts/interop.mjs [VITEST ARGUMENT]...

import { conclude } from './gate/conclude.mjs';
import { outcomeOf, outcomeSince, vitestOutcome } from './gate/outcome.mjs';
import { buildJava, missingTools } from './lib/java.mjs';

/** @param {string[]} args */
async function test(args) {
  const missing = await missingTools();
  if (missing.length > 0) {
    const details = ['The interop tests cannot run:', ...missing].join('\n  ');
    const repeat = 'npm run test:interop';
    const failures = [{ name: 'interop', details, repeat, canBeBadLuck: false }];
    return outcomeSince('interop', performance.now(), { failures });
  }
  await buildJava();
  return await vitestOutcome('interop', {
    files: args,
    args: ['--config', 'vitest.interop.config.ts'],
    command: 'npm run test:interop --',
    timeoutMs: 30 * 60_000,
  });
}

const args = process.argv.slice(2);
const startedAt = performance.now();
const isStrict = args.length > 0;
const outcome = await outcomeOf('interop', 'npm run test:interop', async () => await test(args));
process.exitCode = (await conclude([outcome], { startedAt, isStrict })) ? 0 : 1;
