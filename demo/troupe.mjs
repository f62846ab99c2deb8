// @ts-check
// The worker processes of one act, seen from the stage: forks them, collects what they report,
// answers their writes to the store, sends them signals, and sees that all of them end.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();

/** Ends every worker that is still there; SIGKILL ends a stopped process too. */
export function endAllWorkers() {
  for (const child of alive) {
    child.kill('SIGKILL');
  }
}
// Whatever ends the demo, no worker outlives it.
process.on('exit', endAllWorkers);

/**
 * @typedef {object} Report what a worker sends
 * @property {import('./events.mjs').DemoEvent[]} [events]
 * @property {import('./store.mjs').Request} [request]
 */

/** @typedef {import('./worker.mjs').Casting} Casting */

export class Troupe {
  /** @type {Map<number, import('node:child_process').ChildProcess>} by worker number, from 1 */
  #children = new Map();
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #killed = new Set();
  #options;

  /**
   * @param {object} options
   * @param {number} options.size how many workers there are
   * @param {Omit<Casting, 'worker'>} options.casting
   * @param {(worker: number, report: Report) => { id: number, answer: number } | undefined}
   *   options.report called for every message; what it returns is sent back
   * @param {(error: Error) => void} options.fail called when a worker ends that should not
   */
  constructor(options) {
    this.#options = options;
  }

  /** Starts the workers. */
  enter() {
    const { size, casting } = this.#options;
    for (let worker = 1; worker <= size; worker++) {
      this.#fork({ ...casting, worker });
    }
  }

  /** @param {Casting} casting */
  #fork(casting) {
    const { worker } = casting;
    const { report, fail } = this.#options;
    const child = fork(WORKER, [JSON.stringify(casting)], { serialization: 'advanced' });
    this.#children.set(worker, child);
    alive.add(child);
    child.on('message', (message) => {
      const answer = report(worker, /** @type {Report} */ (message));
      if (answer !== undefined && child.connected) {
        child.send({ answer });
      }
    });
    child.on('exit', (code, signal) => {
      alive.delete(child);
      if (code !== 0 && !this.#killed.has(child)) {
        fail(new Error(`worker ${worker} ended with ${signal ?? `exit code ${code}`}`));
      }
    });
  }

  /**
   * Sends a cue to one worker or to all that are left.
   * @param {string} cue `accident`, `stop`, `leave`, or one that the act waits for
   * @param {number} [only]
   */
  cue(cue, only) {
    for (const [worker, child] of this.#children) {
      if ((only === undefined || only === worker) && child.connected) {
        child.send({ cue });
      }
    }
  }

  /**
   * Sends a signal to a worker of this troupe, and to no other process.
   * @param {number} worker
   * @param {'SIGKILL' | 'SIGSTOP' | 'SIGCONT'} signal
   */
  signal(worker, signal) {
    const child = this.#children.get(worker);
    if (child === undefined || child.exitCode !== null) {
      throw new Error(`worker ${worker} is not running`);
    }
    if (signal === 'SIGKILL') {
      this.#killed.add(child);
    }
    child.kill(signal);
  }

  /**
   * Waits for all workers to end by themselves.
   * @param {number} withinMs after that they are killed
   * @returns {Promise<number[]>} the workers that had to be killed
   */
  async ended(withinMs) {
    const running = [...this.#children].filter(([, child]) => alive.has(child));
    const late = /** @type {number[]} */ ([]);
    const timer = setTimeout(() => {
      for (const [worker, child] of running.filter(([, each]) => alive.has(each))) {
        late.push(worker);
        this.#killed.add(child);
        child.kill('SIGKILL');
      }
    }, withinMs);
    await Promise.all(running.map(([, child]) => once(child, 'exit')));
    clearTimeout(timer);
    return late;
  }
}
