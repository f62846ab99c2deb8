// @ts-check
// Judges mistakes, two at a time, each in a private copy of the project.

import { FILE_ITSELF, FIRST, firstFailure, IN_TIME, runTests } from './judge.mjs';
import { changedBy, testsOfLua } from './mistakes.mjs';
import { Tree } from './tree.mjs';

/** How many are judged at a time. */
const AT_ONCE = 2;

/**
 * @typedef {import('./mistakes.mjs').Mistake} Mistake
 * @typedef {object} Verdict
 * @property {Mistake} mistake
 * @property {'test' | 'generator' | 'time' | 'nothing'} by what has found it
 * @property {string} how the test, or what the generator said
 * @property {string} [finder] the test file that has found it
 * @property {boolean} isLoaded false where that file could not be loaded with the mistake
 * @property {number} ms
 * @property {number} tried how many test files it was to be found by
 */

export class Bench {
  /** Tests that fail without any mistake.
   * @type {Set<string>} */
  #broken = new Set();

  /** The tests that are tried on a mistake, in order.
   * @param {Mistake} mistake
   * @param {(file: string) => string} read */
  testsOf(mistake, read) {
    const tests = mistake.tests ?? testsOfLua(mistake, read);
    return tests.filter((test) => !this.#broken.has(test));
  }

  /**
   * Runs tests without a mistake: those that are tried first on these mistakes, or `files`. A test
   * that fails twice here proves nothing, and is tried on no mistake.
   *
   * @param {Iterable<Mistake>} mistakes
   * @param {Iterable<string>} [files]
   * @returns {Promise<string[]>} the failures
   * @throws {Error} where what fails is no test
   */
  async baseline(mistakes, files) {
    const tree = new Tree();
    try {
      const read = (/** @type {string} */ file) => tree.read(file);
      const first = [...mistakes].flatMap((each) => this.testsOf(each, read).slice(0, FIRST));
      const chosen = [...new Set(files ?? first)];
      const order = { root: tree.root, workers: 3, stopsAtFailure: false };
      let { failed } = await runTests({ ...order, files: chosen }, 20 * 60_000);
      const suspects = [...new Set(failed.map(({ file }) => file))].filter((file) => file !== '');
      if (suspects.length > 0 && suspects.length <= FIRST) {
        ({ failed } = await runTests({ ...order, workers: 1, files: suspects }, 10 * 60_000));
      }
      for (const { file, test, message } of failed) {
        if (file === '') {
          throw new Error(`the tests do not run, without any mistake: ${test}: ${message}`);
        }
        this.#broken.add(file);
      }
      return failed.map(({ file, test, message }) => `${file}: ${test}: ${message}`);
    } finally {
      tree.remove();
    }
  }

  /**
   * @param {Mistake[]} mistakes
   * @param {(verdict: Verdict) => void} report called as each is judged
   * @returns {Promise<Verdict[]>}
   */
  async judge(mistakes, report) {
    /** @type {Map<Mistake, Verdict>} */
    const verdicts = new Map();
    const waiting = [...mistakes];
    const work = async () => {
      const tree = new Tree();
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const verdict = await this.#verdictOn(next, tree);
          verdicts.set(next, verdict);
          report(verdict);
        }
      } finally {
        tree.remove();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return mistakes.flatMap((mistake) => verdicts.get(mistake) ?? []);
  }

  /**
   * @param {Mistake} mistake
   * @param {Tree} tree
   * @returns {Promise<Verdict>}
   */
  async #verdictOn(mistake, tree) {
    const startedAt = performance.now();
    const read = (/** @type {string} */ file) => tree.read(file);
    const tests = this.testsOf(mistake, read);
    const verdict = (/** @type {Verdict['by']} */ by, /** @type {string} */ how) => ({
      mistake,
      by,
      how,
      ms: performance.now() - startedAt,
      tried: tests.length,
      isLoaded: true,
    });
    const { files, refusal } = changedBy(mistake, read);
    if (refusal !== undefined) {
      return verdict(mistake.mayBeRefused === true ? 'generator' : 'nothing', refusal);
    }
    try {
      for (const [file, text] of files) {
        tree.write(file, text);
      }
      const failure = await firstFailure(tree.root, tests);
      if (failure === undefined) {
        return verdict('nothing', '');
      }
      const by = failure.test === IN_TIME ? 'time' : 'test';
      const found = verdict(by, `${failure.file}: ${failure.test}`);
      return { ...found, finder: failure.file, isLoaded: failure.test !== FILE_ITSELF };
    } finally {
      tree.restore();
    }
  }
}
