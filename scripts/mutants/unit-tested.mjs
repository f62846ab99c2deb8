// @ts-check
// The sources that unit tests are about, with these tests: whatever one of them imports.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/fresh.mjs';

/** Of a sample: a shorter file may have no place for a mistake, and a longer one takes more than a minute. */
const LINES_MIN = 30;
const LINES_MAX = 110;

/** What is compiled from Lua, what only tests use, and a list of what others do. */
const LEFT_OUT = /\.generated\.ts$|^src\/testing\/|^src\/index\.ts$/;

const IMPORT = /^import (?!type\b)[^;]*? from '\.\.\/\.\.\/(?<path>src\/[^']+)\.js';/gmu;

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/** @returns {Map<string, string[]>} the test files by source */
export function unitTested() {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const name of readdirSync(join(root, 'test/unit')).toSorted()) {
    const test = `test/unit/${name}`;
    for (const { groups } of name.endsWith('.test.ts') ? read(test).matchAll(IMPORT) : []) {
      const file = `${groups?.['path']}.ts`;
      if (!LEFT_OUT.test(file)) {
        found.set(file, [...(found.get(file) ?? []), test]);
      }
    }
  }
  return new Map([...found].toSorted(([one], [other]) => one.localeCompare(other)));
}

/** Whether a sample may have it.
 * @param {string} file */
export function isSmall(file) {
  const { length } = read(file).split('\n');
  return length >= LINES_MIN && length <= LINES_MAX;
}
