// @ts-check
// Other releases of Node.js, as npm has them: the oldest that the package supports, and one of each
// later major.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetched } from '../gate/fetch.mjs';
import { root } from './fresh.mjs';
import { run } from './run.mjs';

/** The last is no long-term release yet. */
export const NODE_RELEASES = ['20.19.0', '22.23.3', '24.21.0', '26.12.1'];

/**
 * Installs a release below node_modules, unless it is there: 180 MB and some seconds.
 *
 * @param {string} release
 * @returns {Promise<string>} its program
 * @throws {import('../gate/fetch.mjs').FetchError}
 */
export async function installNode(release) {
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules/.cache/nodes', release);
  const program = join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  if (!existsSync(program)) {
    console.log(`fetching Node.js ${release}`);
    const quiet = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    const install = ['install', '--prefix', folder, ...quiet, `${name}@${release}`];
    await fetched(
      `${name}@${release}`,
      async (timeoutMs) => await run('npm', install, { timeoutMs, yields: true }),
      { limitMs: 120_000 },
    );
  }
  return program;
}
