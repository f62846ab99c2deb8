// @ts-check
// A mistake, whoever made it up: what it changes, and the tests that may find it.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { semanticMutants } from '../../test/mutants/semantic.mjs';
import { unnoticeable } from '../../test/mutants/unnoticeable.mjs';
import { root } from '../lib/fresh.mjs';
import { compile } from '../lua/compile.mjs';
import { emit, emitConstants } from '../lua/emit.mjs';
import { allSites, describeSite, luaFiles, sample, shuffled } from './generated.mjs';
import { testsOfFolders } from './lua-tests.mjs';

const SCRIPTS = 'src/core/wire/scripts.generated.ts';
const CONSTANTS = 'src/core/base/constants.generated.ts';

/**
 * @typedef {object} Mistake
 * @property {string} id
 * @property {string} text in words
 * @property {string} file
 * @property {(source: string) => string} change
 * @property {boolean} isGenerated
 * @property {string[]} [tests] those that must find it; of a generated one, `testsOfLua`
 * @property {boolean} [mayBeRefused] the generator may find it, in place of a test
 *
 * @typedef {{ files: Map<string, string>, refusal?: string }} Changed the new texts by file, or why
 *   the generator refuses them
 */

const textOf = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8');

/**
 * The text with a semantic mistake in it. Each part that is replaced stands there exactly once.
 *
 * @param {import('../../test/mutants/semantic.mjs').SemanticMutant} mutant
 * @param {string} source
 */
export function withMistake({ id, file, changes }, source) {
  return changes.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) {
      throw new Error(`${id}: in ${file} stands ${parts.length - 1} times: ${from}`);
    }
    return parts.join(to);
  }, source);
}

/**
 * @param {number | undefined} count undefined: all
 * @param {number} seed
 * @returns {Mistake[]}
 */
export function semanticMistakes(count, seed) {
  const chosen =
    count === undefined ? semanticMutants : shuffled(semanticMutants, seed).slice(0, count);
  return chosen.map((mutant) => ({
    id: mutant.id,
    text: mutant.mistake,
    file: mutant.file,
    change: (source) => withMistake(mutant, source),
    isGenerated: false,
    mayBeRefused: mutant.refusedBy === 'generator',
    tests: mutant.tests,
  }));
}

/**
 * @param {import('./generated.mjs').Site} site
 * @param {string} text
 */
const changed = ({ start, end, to }, text) => text.slice(0, start) + to + text.slice(end);

/** @param {import('./generated.mjs').Site} site */
function isNoticeable(site) {
  const { line, to } = describeSite(site, textOf(site.file));
  return !unnoticeable.some(
    (each) => each.file === site.file && each.line === line && each.to === to,
  );
}

/**
 * A sample of generated mistakes in Lua that somebody could notice.
 *
 * @param {number} count
 * @param {number} seed
 * @returns {Mistake[]}
 */
export function generatedMistakes(count, seed) {
  const sites = count === 0 ? [] : allSites();
  return sample(sites, count, seed, isNoticeable).map((site) => {
    const { number, line, to } = describeSite(site, textOf(site.file));
    return {
      id: `${site.file}:${number}:${site.operator}`,
      text: `${line} -> ${to}`,
      file: site.file,
      change: (source) => changed(site, source),
      isGenerated: true,
      mayBeRefused: true,
    };
  });
}

/** All sources of scripts, by path below lua/.
 * @param {(file: string) => string} read */
function luaSources(read) {
  return new Map(luaFiles.map((file) => [relative('lua', file), read(file)]));
}

/**
 * @param {Mistake} mistake
 * @param {(file: string) => string} read
 * @returns {Changed}
 */
export function changedBy(mistake, read) {
  const { file, change } = mistake;
  const text = change(read(file));
  if (!file.startsWith('lua/')) {
    return { files: new Map([[file, text]]) };
  }
  const sources = luaSources(read).set(relative('lua', file), text);
  const { scripts, constants, oldest, faults } = compile(sources);
  const [fault] = faults;
  if (fault !== undefined) {
    return { files: new Map(), refusal: `${fault.file}:${fault.line}: ${fault.message}` };
  }
  return {
    files: new Map([
      [file, text],
      [SCRIPTS, emit(scripts)],
      [CONSTANTS, emitConstants(constants, oldest)],
    ]),
  };
}

/**
 * The tests of a generated mistake in Lua: those of the folders whose scripts it changes.
 *
 * @param {Mistake} mistake
 * @param {(file: string) => string} read
 * @returns {string[]}
 */
export function testsOfLua({ file, change }, read) {
  const sources = luaSources(read);
  const before = new Map(compile(sources).scripts.map(({ name, sha1 }) => [name, sha1]));
  const { scripts } = compile(sources.set(relative('lua', file), change(read(file))));
  const others = scripts.filter(({ name, sha1 }) => before.get(name) !== sha1);
  return testsOfFolders(new Set(others.map(({ name }) => dirname(name))));
}
