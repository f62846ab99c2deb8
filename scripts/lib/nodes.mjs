// @ts-check
// Other releases of Node.js, as npm has them: the oldest that the package supports, and one of each
// later major.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './fresh.mjs';
import { run } from './run.mjs';

const RELEASES = ['20.19.0', '22.23.3', '24.21.0'];

/**
 * Installs them below node_modules, unless they are there: 180 MB and some seconds each.
 *
 * @returns {Promise<string[]>} their programs
 */
export async function installNodes() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const programs = [];
  for (const release of RELEASES) {
    const folder = join(root, 'node_modules/.cache/nodes', release);
    const windows = process.platform === 'win32';
    const program = join(folder, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
    if (!existsSync(program)) {
      const quiet = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
      const install = ['install', '--prefix', folder, ...quiet, `${name}@${release}`];
      const { code, output } = await run('npm', install, { timeoutMs: 120_000 });
      if (code !== 0) {
        throw new Error(`${name}@${release} was not installed:\n${output}`);
      }
    }
    programs.push(program);
  }
  return programs;
}
