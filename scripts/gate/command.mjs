// @ts-check
// A command of the gate in a process of its own, which hands over what came of its checks.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/run.mjs';
import { OUTCOMES } from './conclude.mjs';
import { outcomeSince } from './outcome.mjs';

/** @typedef {import('./outcome.mjs').Outcome} Outcome */

/** @param {string} file @returns {Outcome[] | undefined} */
function outcomesIn(file) {
  try {
    return /** @type {Outcome[]} */ (JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // It has ended before it could write: the exit code says that it has failed.
    return undefined;
  }
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
    const isExplained =
      code === 0 || outcomes?.some(({ failures }) => failures.length > 0) === true;
    if (outcomes !== undefined && isExplained && !timedOut) {
      return { outcomes, output };
    }
    const how = timedOut ? `stopped after ${options.timeoutMs} ms` : `exit code ${code}`;
    const why =
      outcomes === undefined ? 'it left no outcomes' : 'no failure of a check explains it';
    const details = `${how}, and ${why}`;
    const failures = [{ name: repeat, details, repeat, canBeBadLuck: false }];
    return {
      outcomes: [...(outcomes ?? []), outcomeSince(repeat, startedAt, { failures })],
      output,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
