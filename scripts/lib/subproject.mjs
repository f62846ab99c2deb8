// @ts-check
// Folders with packages of their own, which the rest of the project does without.

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetched } from '../gate/fetch.mjs';
import { root } from './fresh.mjs';
import { run } from './run.mjs';

const LIMIT_MS = 240_000;

/**
 * Installs what the lockfile of a folder says, unless that was done.
 *
 * @param {'recipes' | 'site'} name
 * @returns {Promise<void>}
 * @throws {import('../gate/fetch.mjs').FetchError}
 */
export async function installIn(name) {
  const folder = join(root, name);
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.redlatch-installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) {
    return;
  }
  console.error(`redlatch: installing what ${name} needs (npm ci)`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await fetched(
    `the packages of ${name}`,
    async (timeoutMs) => await run('npm', args, { cwd: folder, timeoutMs, yields: true }),
    { limitMs: LIMIT_MS },
  );
  const own = join(folder, 'node_modules', 'redlatch');
  if (name === 'recipes' && !existsSync(own)) {
    symlinkSync(join('..', '..'), own, 'dir');
  }
  writeFileSync(mark, wanted);
}
