// @ts-check
// Installs the package from this repository as git has it, in an empty project, as
// `npm install git+https://...` does. Npm clones, installs all development dependencies there, builds
// and packs, which is why this is no part of `npm test`.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetched, FetchError } from '../gate/fetch.mjs';
import { outcomeSince } from '../gate/outcome.mjs';
import { root } from './fresh.mjs';
import { run } from './run.mjs';

const LOADS = `
  const required = require('redlatch');
  import('redlatch').then((imported) => {
    if (imported.createClient !== required.createClient) throw new Error('two of each');
  });
`;

const LIMIT_MS = 240_000;

/** @param {string} command @param {string[]} args */
async function passes(command, args) {
  const { code, output } = await run(command, args, { timeoutMs: LIMIT_MS });
  if (code !== 0) {
    throw new Error(`${command} has ended with ${code}:\n${output}`);
  }
}

/**
 * @param {string} name of the check
 * @returns {Promise<import('../gate/outcome.mjs').Outcome>}
 */
export async function installFromGit(name) {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-git-'));
  const [clone, project] = [join(folder, 'clone'), join(folder, 'project')];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  try {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    writeFileSync(join(project, 'load.cjs'), LOADS);
    const git = ['-c', 'safe.directory=*', 'clone', '--quiet', root, clone];
    const npm = ['install', '--prefix', project, ...quiet, `git+${pathToFileURL(clone).href}`];
    await passes('git', git);
    await fetched(name, async (timeoutMs) => await run('npm', npm, { timeoutMs }), {
      limitMs: LIMIT_MS,
    });
    await passes(process.execPath, [join(project, 'load.cjs')]);
    return outcomeSince(name, startedAt, { passed: 1 });
  } catch (error) {
    if (error instanceof FetchError) {
      return outcomeSince(name, startedAt, { missing: [{ name, reason: error.reason }] });
    }
    const repeat = `npm run search -- --only '${name}'`;
    const failure = { name, details: String(error), repeat, canBeBadLuck: false };
    return outcomeSince(name, startedAt, { failures: [failure] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
