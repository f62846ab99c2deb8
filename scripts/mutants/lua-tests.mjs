// @ts-check
// The tests that a generated mistake in Lua is tried on.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/fresh.mjs';

/** Folders below test/, by the folder of the script.
 * @type {Record<string, string[]>} */
const ABOUT = {
  'expirable-semaphore': ['integration/expirable-semaphore', 'integration/told-permits'],
  'fair-lock': ['integration/fair-lock', 'integration/hand-off'],
  latch: ['integration/latch'],
  lock: ['integration/locks', 'integration/hand-off', 'integration/lifecycle'],
  'multi-lock': ['integration/multi-lock', 'contract'],
  quorum: ['integration/quorum'],
  requests: ['integration/semaphore', 'integration/expirable-semaphore', 'integration/latch'],
  rwlock: ['integration/rwlock', 'integration/hand-off'],
  semaphore: ['integration/semaphore', 'integration/told-permits'],
  waits: ['integration/waiting'],
};

/** @param {string} folder below test/ */
const testsIn = (folder) =>
  readdirSync(join(root, 'test', folder))
    .filter((name) => name.endsWith('.test.ts'))
    .toSorted()
    .map((name) => `test/${folder}/${name}`);

/**
 * First those that run single scripts, then those about the folders, then those of every kind of object: a
 * mistake that survives all of them costs a minute.
 *
 * @param {ReadonlySet<string>} folders below lua/
 */
export function testsOfFolders(folders) {
  const about = [...folders].flatMap((folder) => ABOUT[folder] ?? []);
  return [
    ...testsIn('integration/scripts'),
    ...[...new Set(about)].flatMap((name) => testsIn(name)),
    'test/simulation/simulation.test.ts',
    ...testsIn('integration/names'),
  ];
}
