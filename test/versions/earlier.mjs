// @ts-check
// A build of an earlier commit, to be run beside the present one.

import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/fresh.mjs';
import { run } from '../../scripts/lib/run.mjs';

/** The commit whose keys, messages and scripts the present one is compared with. */
const EARLIER = 'f19b77ee5852c3195a4daf9de1b7ad98ba3a12f3';

const CACHE = join(root, 'node_modules/.cache/redlatch/earlier');

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
async function must(program, args, cwd) {
  const { code, output } = await run(program, args, { cwd, timeoutMs: 120_000 });
  if (code !== 0) {
    throw new Error(`${program} ${args.join(' ')}: exit code ${code}\n${output}`);
  }
}

/**
 * Builds it, unless that was done before.
 *
 * @returns {Promise<string>} the file to import
 */
export async function earlierBuild() {
  const folder = join(CACHE, EARLIER);
  const entry = join(folder, 'dist/index.js');
  if (!existsSync(entry)) {
    // Built aside: a build that is interrupted leaves nothing that looks complete.
    const fresh = `${folder}-${process.pid}`;
    const archive = `${fresh}.tar`;
    mkdirSync(fresh, { recursive: true });
    try {
      const git = ['-c', 'safe.directory=*', 'archive', '--output', archive, EARLIER];
      await must('git', git, root);
      await must('tar', ['-xf', archive, '-C', fresh], root);
      symlinkSync(join(root, 'node_modules'), join(fresh, 'node_modules'), 'junction');
      await must(process.execPath, ['scripts/build.mjs'], fresh);
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
    } finally {
      rmSync(archive, { force: true });
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return entry;
}

/** @returns {Promise<boolean>} whether this clone has that commit: one that is shallow may not */
export async function hasEarlier() {
  const args = ['-c', 'safe.directory=*', 'cat-file', '-e', `${EARLIER}^{commit}`];
  return (await run('git', args, { cwd: root, timeoutMs: 10_000 })).code === 0;
}
