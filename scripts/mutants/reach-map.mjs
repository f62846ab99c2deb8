// @ts-check
// test/mutants/reach.json: which tests reach a function, and in which order they are tried on it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/fresh.mjs';

const FILE = join(root, 'test/mutants/reach.json');

/** A test file costs so much beside the time of its tests. */
const START_MS = 400;

/** Tests about the same folder are likelier to notice, and those of one unit most of all. */
const NEAR = 0.4;
const UNIT = 0.1;

/**
 * @typedef {{ tests: [file: string, ms: number][], reached: Record<string, string> }} Saved
 *   `reached`: by function, the numbers of its tests as bits in base64
 */

/** Two measurements of the same code differ by more than this.
 * @param {number} ms */
const rounded = (ms) => Math.max(50, Math.round(ms / 250) * 250);

/** @param {Record<string, { ms: number, reached: string[] }>} observed */
export function saveReach(observed) {
  const names = Object.keys(observed).toSorted();
  /** @type {Map<string, Buffer>} */
  const bits = new Map();
  names.forEach((name, i) => {
    for (const id of observed[name]?.reached ?? []) {
      const row = bits.get(id) ?? Buffer.alloc(Math.ceil(names.length / 8));
      row[i >> 3] = (row[i >> 3] ?? 0) | (1 << (i & 7));
      bits.set(id, row);
    }
  });
  const tests = names.map((name) => JSON.stringify([name, rounded(observed[name]?.ms ?? 0)]));
  const ids = [...bits.keys()].toSorted();
  const reached = ids.map((id) => `${JSON.stringify(id)}:"${bits.get(id)?.toString('base64')}"`);
  writeFileSync(
    FILE,
    `{"tests":[\n${tests.join(',\n')}\n],"reached":{\n${reached.join(',\n')}\n}}\n`,
  );
}

/** The words of a path that say what it is about.
 * @param {string} path */
function topicsOf(path) {
  const words = path.split(/[/.-]/);
  const skipped = new Set(['test', 'core', 'integration', 'unit', 'contract']);
  const telling = words.filter((word) => word.length > 3 && !skipped.has(word));
  return new Set(telling.map((word) => word.replace(/s$/, '')));
}

export class Reach {
  /** @type {Map<string, number>} */
  #ms;
  /** @type {Map<string, string[]>} */
  #tests = new Map();

  constructor() {
    const saved = /** @type {Saved} */ (JSON.parse(readFileSync(FILE, 'utf8')));
    const names = saved.tests.map(([name]) => name);
    const known = new Set(names.filter((name) => existsSync(join(root, name))));
    this.#ms = new Map(saved.tests);
    for (const [id, bits] of Object.entries(saved.reached)) {
      const row = Buffer.from(bits, 'base64');
      const tests = names.filter(
        (name, i) => known.has(name) && ((row[i >> 3] ?? 0) & (1 << (i & 7))) !== 0,
      );
      this.#tests.set(id, tests);
    }
  }

  /** How long a test file takes, alone.
   * @param {string} test */
  costOf(test) {
    return START_MS + (this.#ms.get(test) ?? 1_000);
  }

  /**
   * The tests that reach any of these functions or scripts, those first that are cheap or near. A
   * function that is not known is reached by whatever reaches its file.
   *
   * @param {string} file
   * @param {string[]} ids
   */
  testsOf(file, ids) {
    const known = ids.filter((id) => this.#tests.has(id));
    const all = [...this.#tests.keys()].filter((id) => id.startsWith(`${file}#`));
    const found = new Set(
      (known.length > 0 ? known : all).flatMap((id) => this.#tests.get(id) ?? []),
    );
    const topics = topicsOf(file);
    const rank = (/** @type {string} */ test) => {
      const isNear = [...topicsOf(test)].some((topic) => topics.has(topic));
      const unit = test.startsWith('test/unit/') ? UNIT : 1;
      return this.costOf(test) * unit * (isNear ? NEAR : 1);
    };
    return [...found].toSorted((one, other) => rank(one) - rank(other));
  }
}
