// @ts-check
// The end of a command of the gate: it judges what came of its checks, or hands that to the whole gate, which judges
// all commands together.

import { appendFileSync } from 'node:fs';
import { judge, judgeStrictly } from './judge.mjs';
import { report } from './report.mjs';

/** Where the whole gate wants the outcomes: `scripts/ci.mjs`. */
export const OUTCOMES = 'REDLATCH_GATE_OUTCOMES';

/**
 * Hands over what came of a check, so that it is not lost where a later one hangs.
 *
 * @param {import('./outcome.mjs').Outcome} outcome
 */
export function handOver(outcome) {
  const file = process.env[OUTCOMES];
  if (file !== undefined) {
    appendFileSync(file, `${JSON.stringify(outcome)}\n`);
  }
}

/**
 * @param {import('./outcome.mjs').Outcome[]} outcomes each was handed over
 * @param {{ startedAt: number, isStrict?: boolean }} options `isStrict`: nothing is run again
 * @returns {Promise<boolean>} whether all is well
 */
export async function conclude(outcomes, { startedAt, isStrict = false }) {
  const strictly = isStrict || process.env[OUTCOMES] !== undefined;
  return report(strictly ? judgeStrictly(outcomes) : await judge(outcomes), startedAt);
}
