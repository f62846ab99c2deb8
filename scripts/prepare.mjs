// @ts-check
// `prepack` and `prepare`: npm runs both before it packs, and the second after each installation in
// this folder and of this package from git. Builds, unless the build is fresh. Says what it does on
// stderr, since stdout belongs to `npm pack --json`. Node built-ins only, before it has looked.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { distIsFresh, root } from './lib/fresh.mjs';

/** What the build needs of the development dependencies. */
const TOOLS = ['typescript', 'rolldown', '@microsoft/api-extractor', '@types/node'];

/**
 * @param {string | undefined} event why npm runs this
 * @returns {Promise<number>} the exit code
 */
async function main(event) {
  if (distIsFresh()) {
    return 0;
  }
  const missing = TOOLS.filter((name) => !existsSync(join(root, 'node_modules', name)));
  if (missing.length > 0) {
    console.error(`redlatch: not built, since ${missing.join(', ')} is not installed: run npm ci`);
    // Whoever installs without development dependencies does not want to build.
    return event === 'prepack' ? 1 : 0;
  }
  console.error('redlatch: building');
  const { build } = await import('./build.mjs');
  const { ok, output } = await build();
  process.stderr.write(output);
  return ok ? 0 : 1;
}

process.exitCode = await main(process.env['npm_lifecycle_event']);
