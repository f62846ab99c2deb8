// @ts-check
// Says whether what is installed and built still matches the sources. Node built-ins only: it runs
// before anything is installed.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} Locked
 * @param {string} file
 * @returns {Record<string, Locked>}
 */
function lockedPackages(file) {
  const lock = /** @type {{ packages?: Record<string, Locked> }} */ (
    JSON.parse(readFileSync(file, 'utf8'))
  );
  return lock.packages ?? {};
}

/**
 * Compares what npm says it installed with the lockfile, by content: a checkout has no useful
 * modification times. Optional packages of other platforms are absent, and that is no difference.
 *
 * @returns {boolean}
 */
export function dependenciesAreFresh() {
  try {
    const wanted = lockedPackages(join(root, 'package-lock.json'));
    const installed = lockedPackages(join(root, 'node_modules/.package-lock.json'));
    const same = Object.entries(installed).every(([path, entry]) => {
      const other = wanted[path];
      return other?.version === entry.version && other?.integrity === entry.integrity;
    });
    const missing = Object.entries(wanted).some(
      ([path, entry]) => path !== '' && entry.optional !== true && installed[path] === undefined,
    );
    return same && !missing;
  } catch {
    return false;
  }
}

/**
 * @param {string} path a file or a folder
 * @returns {number} the latest modification time below it, 0 when there is none
 */
function newestBelow(path) {
  try {
    const stat = statSync(path);
    if (!stat.isDirectory()) {
      return stat.mtimeMs;
    }
    const times = readdirSync(path).map((name) => newestBelow(join(path, name)));
    return Math.max(stat.mtimeMs, ...times);
  } catch {
    return 0;
  }
}

/** What a build is made of, and by. */
const INPUTS = [
  'src',
  'lua',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'api-extractor.json',
  'scripts/build.mjs',
  'scripts/lib/bundle.mjs',
];

/**
 * The build renames a finished folder into place, and the entry file says when the build began.
 *
 * @returns {boolean}
 */
export function distIsFresh() {
  try {
    const builtAt = statSync(join(root, 'dist/index.js')).mtimeMs;
    return INPUTS.every((name) => newestBelow(join(root, name)) <= builtAt);
  } catch {
    return false;
  }
}
