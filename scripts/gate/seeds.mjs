// @ts-check
// The one place where seeds are drawn. Tests draw none: without REDLATCH_TEST_SEED they run fixed ones.

import { randomInt } from 'node:crypto';

/** Below this, so that a run may count on from it. */
const HIGHEST = 2 ** 30;

/**
 * A seed for a search.
 *
 * @returns {number}
 * @throws {Error} under CI, where what is tested is a function of the commit
 */
export function drawSeed() {
  if ((process.env['CI'] ?? '') !== '') {
    throw new Error('CI is set, so no seed is drawn: give one with --seed');
  }
  return randomInt(HIGHEST);
}

/**
 * @param {string} option
 * @param {string | undefined} text
 * @returns {number} the seed that was given, or a new one
 */
export function seedFrom(option, text) {
  if (text === undefined) {
    return drawSeed();
  }
  const seed = Number(text);
  if (!(Number.isInteger(seed) && seed >= 0 && seed < HIGHEST)) {
    throw new RangeError(`--${option} must be an integer from 0 to ${HIGHEST - 1}, got "${text}"`);
  }
  return seed;
}
