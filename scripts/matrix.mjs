// @ts-check
// `npm run test:matrix`: the suites that talk to a server on each server that can be had, each release of Node.js
// and each driver. The last line is "N passed, N failed".

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { root } from './lib/fresh.mjs';
import { runMatrix } from './matrix/run.mjs';
import { report, reportPage, tallyOf } from './matrix/report.mjs';

const HELP = `npm run test:matrix -- [options]

  --all            every combination, in the place of pairs that have each value twice
  --suite NAME     only test/NAME: contract, integration, faults; may be repeated
  --server TEXT    only servers whose name has this in it; also --node, --driver; may be repeated
  --resume         what was run before stays (out/matrix.json); only what failed is run again
  --list           only says what would be run
  --page FILE      also writes the table as a page: docs/matrix.md
`;

const KEPT = join(root, 'out/matrix.json');

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    suite: { type: 'string', multiple: true, default: [] },
    server: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [] },
    driver: { type: 'string', multiple: true, default: [] },
    page: { type: 'string' },
  },
});

function kept() {
  return existsSync(KEPT)
    ? /** @type {import('./matrix/report.mjs').Result[]} */ (JSON.parse(readFileSync(KEPT, 'utf8')))
    : [];
}

async function main() {
  if (values.help) {
    console.log(HELP);
    return;
  }
  const before = values.resume ? kept() : [];
  const outcome = await runMatrix(values, before, (results) => {
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(KEPT, `${JSON.stringify(results, undefined, 2)}\n`);
  });
  if (values.list) {
    return;
  }
  console.log(report(outcome));
  if (values.page !== undefined) {
    writeFileSync(values.page, reportPage(outcome));
    console.log(styleText('dim', `written: ${values.page}`));
  }
  const { passed, failed } = tallyOf(outcome);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main();
