// @ts-check
// Child processes for the scripts: one that shows its output, one that keeps it. One with a time limit has a group of
// its own, so that nothing that it has started outlives it.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { root } from './fresh.mjs';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] the root of the project if there is none
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [timeoutMs] then its group gets SIGTERM, and SIGKILL after 5 seconds
 * @property {boolean} [yields] it takes the CPU that others leave
 * @property {string | undefined} [until] it gets SIGTERM once it has printed this
 */

/**
 * @typedef {{ code: number, output: string, timedOut: boolean }} RunResult
 */

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/** The nice values of what yields: of a process, and of a session, which can be raised again. */
const LOW = 10;
const LOW_SESSION = 19;

/** Leaders of the sessions that yield.
 * @type {Set<number>} */
const yielding = new Set();
let isBusy = true;

/** @param {number} leader @param {number} nice */
function setSession(leader, nice) {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(nice));
  } catch {
    // Not on this system, or it has ended: its nice value is all that there is.
  }
}

/**
 * Gives a process that leads a session the CPU that others leave. On Linux a session may be scheduled as one: then a
 * nice value orders only the processes of one session, and the session has a nice value of its own.
 *
 * @param {number} leader
 */
function yieldCpu(leader) {
  setPriority(leader, LOW);
  if (isBusy) {
    yielding.add(leader);
    setSession(leader, LOW_SESSION);
  }
}

/** What has yielded, and what would, competes from now on: nothing is left to yield to, and other work on the machine
 * would keep it from the CPU. */
export function stopYielding() {
  isBusy = false;
  for (const leader of yielding) {
    setSession(leader, 0);
  }
}

/** Leaders of the groups that are there.
 * @type {Set<number>} */
const groups = new Set();

/** @param {number} leader @param {NodeJS.Signals} signal */
function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nothing of it is left.
  }
}

/** @param {number} leader */
function endGroup(leader) {
  groups.delete(leader);
  yielding.delete(leader);
  signalGroup(leader, 'SIGKILL');
}

process.on('exit', () => groups.forEach(endGroup));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  // A signal for this process reaches no other group. Each may have groups of its own, to which it passes it on.
  process.once(signal, () => {
    groups.forEach((leader) => signalGroup(leader, signal));
    const endsAt = performance.now() + GRACE_MS;
    const wait = setInterval(() => {
      if (groups.size === 0 || performance.now() > endsAt) {
        clearInterval(wait);
        groups.forEach(endGroup);
        process.kill(process.pid, signal);
      }
    }, 20);
  });
}

/**
 * Ends a group when its time is up, if that is limited, and with its leader.
 *
 * @param {number} leader
 * @param {number | undefined} timeoutMs
 * @returns {() => boolean} call it when the leader has ended; whether that was too late
 */
function limited(leader, timeoutMs) {
  groups.add(leader);
  let timedOut = false;
  const stop = () => {
    timedOut = true;
    signalGroup(leader, 'SIGTERM');
    timer = setTimeout(endGroup, GRACE_MS, leader);
  };
  let timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  return () => {
    clearTimeout(timer);
    endGroup(leader);
    return timedOut;
  };
}

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
  // What yields starts nothing that does not.
  const isLow = options.yields === true || getPriority() >= LOW;
  const isWatched = options.show === true && process.stdout.isTTY;
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    detached: isLow || options.timeoutMs !== undefined,
    stdio: isWatched ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  if (isLow && child.pid !== undefined) {
    yieldCpu(child.pid);
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
  const { timeoutMs } = options;
  const ended =
    child.pid === undefined || !(isLow || timeoutMs !== undefined)
      ? () => false
      : limited(child.pid, timeoutMs);
  return await new Promise((resolve) => {
    const settle = (/** @type {number} */ code) => {
      const timedOut = ended();
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
