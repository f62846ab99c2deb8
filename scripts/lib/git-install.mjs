// @ts-check
// Installs the package from this repository as git has it, in an empty project, as
// `npm install git+https://...` does. Npm clones, installs all development dependencies there, builds
// and packs, which is why this is no part of `npm test`.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { outcomeSince } from '../gate/outcome.mjs';
import { root } from './fresh.mjs';
import { run } from './run.mjs';

const LOADS = `
  const required = require('redlatch');
  import('redlatch').then((imported) => {
    if (imported.createClient !== required.createClient) throw new Error('two of each');
  });
`;

/**
 * @param {string} name of the check
 * @returns {Promise<import('../gate/outcome.mjs').Outcome>}
 */
export async function installFromGit(name) {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-git-'));
  const [clone, project] = [join(folder, 'clone'), join(folder, 'project')];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const limit = { timeoutMs: 240_000 };
  try {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    writeFileSync(join(project, 'load.cjs'), LOADS);
    const git = ['-c', 'safe.directory=*', 'clone', '--quiet', root, clone];
    const npm = ['install', '--prefix', project, ...quiet, `git+${pathToFileURL(clone).href}`];
    for (const step of [
      async () => await run('git', git, limit),
      async () => await run('npm', npm, limit),
      async () => await run(process.execPath, [join(project, 'load.cjs')], limit),
    ]) {
      const { code, output } = await step();
      if (code !== 0) {
        const repeat = `npm run search -- --only '${name}'`;
        const failure = { name, details: output, repeat, canBeBadLuck: false };
        return outcomeSince(name, startedAt, { failures: [failure] });
      }
    }
    return outcomeSince(name, startedAt, { passed: 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
