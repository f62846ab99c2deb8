// @ts-check
// The traces of the first seeds of the simulation, as hashes that are kept: a change that is to change
// nothing of what is sent, nor of what users see, leaves them as they were.

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const FILE = new URL('../../test/simulation/traces.txt', import.meta.url);

/** So many seeds of one kind share a hash. */
const BATCH = 25;

/** The seeds of all kinds in turn that are kept: some 2,000 of each. */
export const KEPT_SEEDS = 22_000;

/** Enough to tell two runs apart. */
const DIGITS = 12;

/**
 * @typedef {object} Traced
 * @property {number} seed
 * @property {string} kind
 * @property {string} hash
 */

/** @typedef {Record<string, string[]>} Batches by kind, in the order of the seeds */

/**
 * The hashes of all whole batches from the first seed on.
 *
 * @param {Traced[]} traced
 * @returns {Batches}
 */
export function batchesOf(traced) {
  /** @type {Record<string, Traced[]>} */
  const kinds = {};
  for (const each of traced.toSorted((a, b) => a.seed - b.seed)) {
    (kinds[each.kind] ??= []).push(each);
  }
  return Object.fromEntries(Object.entries(kinds).map(([kind, runs]) => [kind, hashesOf(runs)]));
}

/** @param {Traced[]} runs */
function hashesOf(runs) {
  const count = Math.floor(runs.length / BATCH);
  return Array.from({ length: count }, (_, i) => {
    const hash = createHash('sha1');
    for (const run of runs.slice(i * BATCH, (i + 1) * BATCH)) {
      hash.update(run.hash);
    }
    return hash.digest('hex').slice(0, DIGITS);
  });
}

/**
 * Those of other kinds stay as they are.
 *
 * @param {Batches} batches
 */
export async function keepTraces(batches) {
  const before = (await readFile(FILE, 'utf8')).trimEnd().split('\n');
  const kinds = new Set([
    ...before.map((line) => line.split(' ')[0] ?? ''),
    ...Object.keys(batches),
  ]);
  const lines = [...kinds].flatMap(
    (kind) =>
      batches[kind]?.map((hash, i) => `${kind} ${i} ${hash}`) ??
      before.filter((line) => line.startsWith(`${kind} `)),
  );
  await writeFile(FILE, `${lines.join('\n')}\n`);
}

/**
 * What differs from the hashes that are kept, one line for each kind.
 *
 * @param {Batches} batches
 * @returns {Promise<string[]>}
 */
export async function changedTraces(batches) {
  const kept = new Set((await readFile(FILE, 'utf8')).split('\n'));
  return Object.entries(batches).flatMap(([kind, hashes]) => {
    const changed = hashes.flatMap((hash, i) => (kept.has(`${kind} ${i} ${hash}`) ? [] : [i]));
    const [first] = changed;
    return first === undefined
      ? []
      : [
          `${kind}: ${changed.length} of ${hashes.length} batches of ${BATCH} seeds, from ${first} on`,
        ];
  });
}
