// @ts-check
// Small mistakes in Lua at places that nobody has chosen: a sample of all that can be made, the same for
// the same seed, in which each folder has its share.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../lib/fresh.mjs';
import { randomFrom } from '../lib/random.mjs';
import { sitesInLua } from './sites-lua.mjs';

/** @typedef {import('./sites-lua.mjs').Site} Site */

/** All sources of scripts. */
export const luaFiles = readdirSync(join(root, 'lua'), { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.lua'))
  .map((name) => `lua/${name.replaceAll('\\', '/')}`)
  .toSorted();

/** No folder has fewer places in a large sample than this, if it has as many. */
const SHARE_MIN = 3;

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/** @returns {Site[]} every place, in order */
export function allSites() {
  return luaFiles.flatMap((file) => sitesInLua(file, read(file)));
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {number} seed
 * @returns {T[]}
 */
export function shuffled(all, seed) {
  const random = randomFrom(seed);
  const drawn = all.map((each) => ({ each, at: random() }));
  return drawn.toSorted((one, other) => one.at - other.at).map(({ each }) => each);
}

/** The folder that a place counts for.
 * @param {string} file */
export const folderOf = (file) => dirname(file);

/**
 * A number from 0 up to, and without, 1 for each place, which depends on nothing but the seed and what
 * stands there: a change of one line leaves the sample of all others as it was.
 *
 * @param {number} seed
 * @returns {(site: Site) => number}
 */
function chances(seed) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {Map<string, number>} */
  const twins = new Map();
  return (site) => {
    const text = texts.get(site.file) ?? read(site.file);
    texts.set(site.file, text);
    const { file, operator, line, to } = describeSite(site, text);
    const words = JSON.stringify([seed, file, operator, line, to]);
    const nth = (twins.get(words) ?? 0) + 1;
    twins.set(words, nth);
    const hash = createHash('sha256').update(`${words} ${nth}`).digest();
    return hash.readUInt32BE() / 2 ** 32;
  };
}

/**
 * Takes places in turns from all folders, from large ones more often, until `count` are found that
 * `isValid` lets pass.
 *
 * @param {readonly Site[]} sites
 * @param {number} count
 * @param {number} seed
 * @param {(site: Site) => boolean} isValid
 * @returns {Site[]}
 */
export function sample(sites, count, seed, isValid) {
  const chanceOf = chances(seed);
  /** @type {Map<string, { at: number, site: Site }[]>} */
  const folders = new Map();
  for (const site of sites) {
    const rows = folders.get(folderOf(site.file)) ?? [];
    rows.push({ at: chanceOf(site), site });
    folders.set(folderOf(site.file), rows);
  }
  // Each place gets a rank by the share of its folder that comes before it: the lowest are taken.
  const ranked = [...folders.values()].flatMap((rows) => {
    const share = Math.max(rows.length / sites.length, SHARE_MIN / 300);
    return rows
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, site }, i) => ({ site, rank: (i + at) / share }));
  });
  const chosen = [];
  for (const { site } of ranked.toSorted((one, other) => one.rank - other.rank)) {
    if (chosen.length === count) {
      break;
    }
    if (isValid(site)) {
      chosen.push(site);
    }
  }
  return chosen;
}

/** @param {string} part */
const short = (part) => part.replaceAll(/\s+/g, ' ').slice(0, 70);

/**
 * How people know a place: its line, in which «» stand around what the mistake replaces, and what
 * becomes of that.
 *
 * @param {Site} site
 * @param {string} text of its file
 */
export function describeSite({ file, operator, start, end, to }, text) {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const [before, replaced, after = ''] = [
    text.slice(from, start),
    text.slice(start, end),
    text.slice(end).split('\n')[0],
  ];
  const [first = '', ...more] = replaced.split('\n');
  const place = more.length === 0 ? `«${first}»${after}` : `«${first}`;
  return {
    file,
    number: text.slice(0, start).split('\n').length,
    operator,
    line: (before + place).trim(),
    to: short(to),
  };
}
