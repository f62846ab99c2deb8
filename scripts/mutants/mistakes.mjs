// @ts-check
// A mistake, whoever made it up: what it changes, and the tests that may find it.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { semanticMutants } from '../../test/mutants/semantic.mjs';
import { unnoticeable } from '../../test/mutants/unnoticeable.mjs';
import { root } from '../lib/fresh.mjs';
import { compile } from '../lua/compile.mjs';
import { emit, emitConstants } from '../lua/emit.mjs';
import { allSites, describeSite, sample, shuffled } from './generated.mjs';
import { functionsIn, treeOf } from './walk.mjs';

const SCRIPTS = 'src/core/wire/scripts.generated.ts';
const CONSTANTS = 'src/core/base/constants.generated.ts';

/**
 * @typedef {object} Mistake
 * @property {string} id
 * @property {string} text in words
 * @property {string} file
 * @property {(source: string) => string} change
 * @property {boolean} isGenerated
 * @property {string[]} [tests] those that must find it; without them any that reach it may
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
 * @param {boolean} anyTest
 * @returns {Mistake[]}
 */
export function semanticMistakes(count, seed, anyTest) {
  const chosen =
    count === undefined ? semanticMutants : shuffled(semanticMutants, seed).slice(0, count);
  return chosen.map((mutant) => ({
    id: mutant.id,
    text: mutant.mistake,
    file: mutant.file,
    change: (source) => withMistake(mutant, source),
    isGenerated: false,
    mayBeRefused: mutant.refusedBy === 'generator',
    ...(anyTest ? {} : { tests: mutant.tests }),
  }));
}

/**
 * @param {import('./generated.mjs').Site} site
 * @param {string} text
 */
const changed = ({ start, end, to }, text) => text.slice(0, start) + to + text.slice(end);

/**
 * A sample of generated mistakes that compile, and that somebody could notice.
 *
 * @param {number} count
 * @param {number} seed
 * @returns {Promise<Mistake[]>}
 */
export async function generatedMistakes(count, seed) {
  if (count === 0) {
    return [];
  }
  // Reading a compiler takes seconds.
  const { Types } = await import('./types.mjs');
  const types = new Types();
  const isValid = (/** @type {import('./generated.mjs').Site} */ site) => {
    const text = textOf(site.file);
    const { line, to } = describeSite(site, text);
    const isKnown = unnoticeable.some(
      (each) => each.file === site.file && each.line === line && each.to === to,
    );
    const isSource = site.file.endsWith('.ts');
    return !isKnown && !(isSource && types.faultOf(site.file, changed(site, text)) !== undefined);
  };
  return sample(allSites(), count, seed, isValid).map((site) => {
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
 * @param {(file: string) => string} read
 * @param {string[]} files */
function luaSources(read, files) {
  return new Map(files.map((file) => [relative('lua', file), read(file)]));
}

/**
 * @param {Mistake} mistake
 * @param {(file: string) => string} read
 * @param {string[]} luaFiles
 * @returns {Changed}
 */
export function changedBy(mistake, read, luaFiles) {
  const { file, change } = mistake;
  const text = change(read(file));
  if (!file.startsWith('lua/')) {
    return { files: new Map([[file, text]]) };
  }
  const sources = luaSources(read, luaFiles).set(relative('lua', file), text);
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
 * The functions around the first place where two texts differ, or the scripts that a file of Lua is
 * part of: ids as the map of what tests reach has them.
 *
 * @param {string} file
 * @param {string} before
 * @param {string} after
 * @param {(file: string) => string} read
 * @param {string[]} luaFiles
 * @returns {string[]}
 */
export function reachedBy(file, before, after, read, luaFiles) {
  if (file === 'lua/constants.lua') {
    return luaFiles.filter((each) => !each.startsWith('lua/lib/') && each !== file);
  }
  if (file.startsWith('lua/')) {
    const name = relative('lua', file).replace(/\.lua$/, '');
    const { scripts } = compile(luaSources(read, luaFiles));
    const users = scripts.filter(({ parts }) => parts.some(({ path }) => path === name));
    return users.map((script) => `lua/${script.name}.lua`);
  }
  let at = 0;
  while (before[at] === after[at] && at < before.length) {
    at += 1;
  }
  const around = [...functionsIn(treeOf(file, before))].filter(
    ([{ start, end }]) => start <= at && at < end,
  );
  const nearest = around.toSorted(([one], [other]) => other.start - one.start)[0];
  return nearest === undefined ? [] : [`${file}#${nearest[1]}`];
}
