// @ts-check
// A command of the gate in a process of its own, which hands over what came of its checks.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/run.mjs';
import { OUTCOMES } from './conclude.mjs';
import { outcomeSince } from './outcome.mjs';

/** @typedef {import('./outcome.mjs').Outcome} Outcome */

/** @param {string} file a line for each @returns {Outcome[]} none where it has ended before its first check has */
function outcomesIn(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // Behind the last line end is nothing, or what was being written when the command was ended.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => /** @type {Outcome} */ (JSON.parse(line)));
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {import('../lib/run.mjs').RunOptions & { show?: boolean, repeat: string }} options `repeat`: what people run
 * @returns {Promise<{ outcomes: Outcome[], output: string }>} with a failure where the command says that it has failed
 */
export async function outcomesOfCommand(program, args, { repeat, env, ...options }) {
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-outcomes-'));
  const file = join(folder, 'outcomes.json');
  const startedAt = performance.now();
  try {
    const { code, output, timedOut } = await run(program, args, {
      ...options,
      env: { ...env, [OUTCOMES]: file },
    });
    const outcomes = outcomesIn(file);
    const isExplained = code === 0 || outcomes.some(({ failures }) => failures.length > 0);
    if (outcomes.length > 0 && isExplained && !timedOut) {
      return { outcomes, output };
    }
    const how = timedOut ? `stopped after ${options.timeoutMs} ms` : `exit code ${code}`;
    const why = outcomes.length === 0 ? 'it left no outcomes' : 'no failure of a check explains it';
    const details = `${how}, and ${why}`;
    const failures = [{ name: repeat, details, repeat, canBeBadLuck: false }];
    return {
      outcomes: [...outcomes, outcomeSince(repeat, startedAt, { failures })],
      output,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
