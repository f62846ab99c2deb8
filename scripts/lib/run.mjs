// @ts-check
// Child processes for the scripts: one that shows its output, one that keeps it.

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { root } from './fresh.mjs';

/**
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, yields?: boolean }} RunOptions
 *   `cwd`: the root of the project if there is none; `yields`: it takes the CPU that others leave
 * @typedef {{ code: number, output: string, timedOut: boolean }} RunResult
 */

/**
 * Runs a program of this project to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions & { show?: boolean }} [options] `show` passes the output on instead of keeping it
 * @returns {Promise<RunResult>}
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: options.show === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  if (options.yields === true && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  }
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  let timedOut = false;
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          child.kill('SIGTERM');
          setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
        }, options.timeoutMs);
  return await new Promise((resolve) => {
    const settle = (/** @type {number} */ code) => {
      clearTimeout(timer);
      resolve({ code, output, timedOut });
    };
    child.on('error', (error) => {
      output += `${command}: ${error.message}\n`;
      settle(127);
    });
    child.on('close', (code) => settle(code ?? 1));
  });
}

/**
 * Runs a tool that a dev dependency installed, by its JavaScript entry in node_modules/.bin.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {RunOptions & { show?: boolean }} [options]
 * @returns {Promise<RunResult>}
 */
export async function runTool(name, args, options) {
  return await run(process.execPath, [`node_modules/.bin/${name}`, ...args], options);
}
