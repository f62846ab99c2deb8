// @ts-check
// Child processes for the scripts: one that shows its output, one that keeps it.

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { root } from './fresh.mjs';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] the root of the project if there is none
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [timeoutMs]
 * @property {boolean} [yields] it takes the CPU that others leave
 * @property {string | undefined} [until] it gets SIGTERM once it has printed this
 */

/**
 * @typedef {{ code: number, output: string, timedOut: boolean }} RunResult
 */

/**
 * Runs a program of this project to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions & { show?: boolean }} [options] `show` passes the output on; to a terminal it
 *   goes as it is, and is not kept
 * @returns {Promise<RunResult>}
 */
export async function run(command, args, options = {}) {
  const isWatched = options.show === true && process.stdout.isTTY;
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: isWatched ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  if (options.yields === true && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  }
  let output = '';
  let { until } = options;
  /** @param {NodeJS.WriteStream} screen */
  const keep = (screen) => (/** @type {string} */ text) => {
    output += text;
    if (until !== undefined && output.includes(until)) {
      until = undefined;
      child.kill('SIGTERM');
    }
    if (options.show === true) {
      screen.write(text);
    }
  };
  child.stdout?.setEncoding('utf8').on('data', keep(process.stdout));
  child.stderr?.setEncoding('utf8').on('data', keep(process.stderr));
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
 * @param {RunOptions & { show?: boolean, node?: string }} [options] `node`: another program of Node.js
 * @returns {Promise<RunResult>}
 */
export async function runTool(name, args, { node = process.execPath, ...options } = {}) {
  return await run(node, [`node_modules/.bin/${name}`, ...args], options);
}
