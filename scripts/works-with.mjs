// @ts-check
// `npm run test:works-with`: the built package on other runtimes and in frameworks, which are fetched into
// out/works-with. What holds must be what docs/works-with.md says. The last line is "N passed, N failed".
//
//   node scripts/works-with.mjs [NAME]... [--page FILE]
//
// NAME    bun, deno, nest, next: only those
// --page  writes what holds, and the releases, into this page

import { parseArgs } from 'node:util';
import { checkNest } from './works-with/nest.mjs';
import { checkNext } from './works-with/next.mjs';
import { says, write } from './works-with/page.mjs';
import { versionOf } from './works-with/releases.mjs';
import { checkRuntime } from './works-with/runtimes.mjs';

const PAGE = 'docs/works-with.md';

/** @typedef {{ title: string, run: () => Promise<string[]> }} Check */

/** @type {Map<import('./works-with/releases.mjs').Name, Check>} */
const checks = new Map([
  ['bun', { title: 'Bun', run: async () => await checkRuntime('bun') }],
  ['deno', { title: 'Deno', run: async () => await checkRuntime('deno') }],
  ['nest12', { title: 'NestJS', run: async () => await checkNest('nest12') }],
  ['nest11', { title: 'NestJS', run: async () => await checkNest('nest11') }],
  ['next', { title: 'Next.js', run: checkNext }],
]);

const { values, positionals } = parseArgs({
  options: { page: { type: 'string' } },
  allowPositionals: true,
});
let passed = 0;
let failed = 0;

/** @param {string} text */
function fail(text) {
  failed += 1;
  console.error(`FAIL ${text}`);
}

for (const [key, { title, run }] of checks) {
  if (positionals.length > 0 && !positionals.some((name) => key.startsWith(name))) {
    continue;
  }
  const release = `${title} ${versionOf(key)}`;
  console.log(`\nworks with: ${release}`);
  try {
    const lines = await run();
    passed += lines.length;
    console.log(lines.map((line) => `ok   ${line}`).join('\n'));
    const section = { title: release, key, lines };
    if (values.page !== undefined) {
      write(values.page, section);
    } else if (!says(PAGE, section)) {
      fail(`${PAGE} says something else: npm run test:works-with -- ${key} --page ${PAGE}`);
    }
  } catch (error) {
    fail(`${release}: ${String(error)}`);
  }
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
