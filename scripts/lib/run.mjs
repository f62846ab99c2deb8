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

/** The nice value of what yields, and of its session: a tenth of the weight of the others. Less would keep it from the
 * CPU for as long as other work on the machine lasts. */
const LOW = 10;

/** Set for what yields, and for all that it starts. */
const YIELDS = 'REDLATCH_YIELDS';

/** Linux takes one value of a session in a tenth of a second. */
const SESSION_PAUSE_MS = 120;

/** Leaders of the sessions that yield.
 * @type {Set<number>} */
const yielding = new Set();
let isBusy = true;

/** @param {number} leader */
function scheduleSession(leader) {
  if (!yielding.has(leader)) {
    return;
  }
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(isBusy ? LOW : 0));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EAGAIN') {
      setTimeout(scheduleSession, SESSION_PAUSE_MS, leader).unref();
    }
    // Or not on this system, or it has ended: its nice value is all that there is.
  }
}

/**
 * Lowers the priority of a process that leads a session. On Linux a session may be scheduled as one: then a nice value
 * orders only the processes of one session, and the session has a nice value of its own.
 *
 * @param {number} leader
 */
function yieldCpu(leader) {
  try {
    setPriority(leader, Math.max(LOW, getPriority()));
  } catch {
    // It has ended.
  }
  yielding.add(leader);
  scheduleSession(leader);
}

/** Ends the yielding: nothing is left to yield to. Without sessions that are scheduled as one, a nice value stays. */
export function stopYielding() {
  isBusy = false;
  yielding.forEach(scheduleSession);
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
  // What it starts has its session, or yields with one of its own.
  const isNested = process.env[YIELDS] !== undefined;
  const hasGroup = options.timeoutMs !== undefined || (options.yields === true && !isNested);
  const isLow = hasGroup && (options.yields === true || isNested);
  const isWatched = options.show === true && process.stdout.isTTY;
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env, ...(isLow ? { [YIELDS]: '1' } : {}) },
    detached: hasGroup,
    stdio: isWatched ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
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
  const ended = child.pid === undefined || !hasGroup ? () => false : limited(child.pid, timeoutMs);
  if (isLow && child.pid !== undefined) {
    yieldCpu(child.pid);
  }
  return await new Promise((resolve) => {
    const settle = (/** @type {number} */ code) => {
      const timedOut = ended();
      resolve({ code, output, timedOut });
    };
    child.on('error', (error) => {
      output += `${command}: ${error.message}\n`;
      settle(127);
    });
    child.on('exit', () => {
      // What it has started elsewhere may keep its output open.
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, GRACE_MS);
      child.on('close', () => clearTimeout(timer));
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
