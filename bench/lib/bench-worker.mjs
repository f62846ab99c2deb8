// @ts-check
// A worker process as the bench sees it: the garbage and the compiled code of one side do not
// burden the other, while one at a time works.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('../worker.mjs', import.meta.url));

/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();

/** Ends every worker that is still there. */
export function endAllWorkers() {
  for (const child of alive) {
    child.kill('SIGKILL');
  }
}
process.on('exit', endAllWorkers);

/**
 * Ends a process with the others.
 * @param {import('node:child_process').ChildProcess} child
 */
export function endWithWorkers(child) {
  alive.add(child);
  child.once('exit', () => alive.delete(child));
}

/** @template R what a round answers */
export class BenchWorker {
  #child;
  #ended = false;

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#child = child;
  }

  /**
   * Starts a process and waits until its task is set up.
   * @template R
   * @param {string} task
   * @param {object} options
   * @param {string[]} [execArgv] arguments of Node itself
   * @returns {Promise<BenchWorker<R>>}
   */
  static async start(task, options, execArgv = []) {
    const child = fork(WORKER, [task, JSON.stringify(options)], { execArgv });
    endWithWorkers(child);
    /** @type {BenchWorker<R>} */
    const worker = new BenchWorker(child);
    await worker.#answer();
    return worker;
  }

  /** @returns {Promise<R>} */
  async round() {
    this.#child.send('round');
    return /** @type {R} */ (await this.#answer());
  }

  end() {
    this.#ended = true;
    if (this.#child.connected) {
      this.#child.disconnect();
    }
  }

  /** Ends it in the middle of whatever it does. */
  kill() {
    this.#ended = true;
    this.#child.kill('SIGKILL');
  }

  /** @returns {Promise<unknown>} */
  async #answer() {
    return await new Promise((resolve, reject) => {
      const exited = (/** @type {number | null} */ code) => {
        if (!this.#ended) {
          reject(new Error(`a bench worker ended with exit code ${code}`));
        }
      };
      this.#child.once('exit', exited);
      this.#child.once('message', (message) => {
        this.#child.off('exit', exited);
        resolve(message);
      });
    });
  }
}
