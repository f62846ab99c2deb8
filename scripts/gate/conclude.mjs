// @ts-check
// The end of a command of the gate: it judges what came of its checks, or hands that to the whole gate, which judges
// all commands together.

import { writeFileSync } from 'node:fs';
import { judge, judgeStrictly } from './judge.mjs';
import { report } from './report.mjs';

/** Where the whole gate wants the outcomes: `scripts/ci.mjs`. */
export const OUTCOMES = 'REDLATCH_GATE_OUTCOMES';

/**
 * @param {import('./outcome.mjs').Outcome[]} outcomes
 * @param {{ startedAt: number, isStrict?: boolean }} options `isStrict`: nothing is run again
 * @returns {Promise<boolean>} whether all is well
 */
export async function conclude(outcomes, { startedAt, isStrict = false }) {
  const file = process.env[OUTCOMES];
  if (file !== undefined) {
    writeFileSync(file, JSON.stringify(outcomes));
  }
  const strictly = isStrict || file !== undefined;
  return report(strictly ? judgeStrictly(outcomes) : await judge(outcomes), startedAt);
}
