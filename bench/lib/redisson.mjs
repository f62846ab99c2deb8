// @ts-check
// Redisson in a process of its own, which takes one lock in turn: the Java program of the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jdkProgram, missingTools } from '../../scripts/lib/java.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { endWithWorkers } from './bench-worker.mjs';

const FOLDER = fileURLToPath(new URL('../../test/interop/java', import.meta.url));

/**
 * Builds the program, where a JDK and Maven are here.
 * @returns {Promise<boolean>} whether it can be run
 */
export async function buildRedisson() {
  if ((await missingTools()).length > 0) {
    return false;
  }
  const args = ['--quiet', '--batch-mode', '--file', FOLDER, 'compile'];
  const { code, output } = await run('mvn', args, { timeoutMs: 600_000 });
  if (code !== 0) {
    throw new Error(output);
  }
  return true;
}

export class RedissonWorker {
  #child;
  #answers;
  /** @type {Promise<never>} */
  #gone;
  #args;
  #name;
  #op;

  /** @param {import('../tasks/contend.mjs').ContendOptions} options */
  constructor(options) {
    const { name, keyPrefix, ms, warmUpMs, tasks, holdMs, isChecked = false, readers } = options;
    const classPath = `${FOLDER}/target/classes:${FOLDER}/target/lib/*`;
    const args = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath];
    /** @type {['pipe', 'pipe', 'inherit']} */
    const stdio = ['pipe', 'pipe', 'inherit'];
    this.#child = spawn(jdkProgram('java'), [...args, 'redlatch.interop.Main'], { stdio });
    endWithWorkers(this.#child);
    this.#gone = new Promise((_, reject) => {
      const gone = (/** @type {unknown} */ why) =>
        reject(new Error(`the Java program ended: ${String(why)}`));
      this.#child.once('exit', gone).once('error', gone);
      this.#child.stdin.once('error', gone);
    });
    // Whoever waits for an answer is told.
    this.#gone.catch(() => {});
    this.#answers = createInterface({ input: this.#child.stdout });
    this.#name = keyPrefix + name;
    this.#args = { tasks, holdMs, isChecked, ms: warmUpMs, readers };
    this.#op = `contend.${options.kind === 'read-write lock' ? 'readWrite' : 'lock'}`;
    this.roundMs = ms;
  }

  /** @param {import('../tasks/contend.mjs').ContendOptions} options */
  static async start(options) {
    const worker = new RedissonWorker(options);
    await worker.#ask('open', { url: options.url });
    return worker;
  }

  /** @returns {Promise<import('../tasks/contend.mjs').ContendRound>} */
  async round() {
    const answer = await this.#ask(this.#op, this.#args);
    this.#args.ms = this.roundMs;
    const round = /** @type {import('../tasks/contend.mjs').ContendRound} */ (answer);
    return { ...round, sent: 0 };
  }

  end() {
    this.#child.stdin.end();
  }

  /**
   * @param {string} op
   * @param {object} args
   * @returns {Promise<unknown>}
   */
  async #ask(op, args) {
    this.#child.stdin.write(
      `${JSON.stringify({ id: 1, client: 'one', op, name: this.#name, args })}\n`,
    );
    const [line] = /** @type {string[]} */ (
      await Promise.race([once(this.#answers, 'line'), this.#gone])
    );
    const { value, error, message } =
      /** @type {{ value?: unknown, error?: string, message?: string }} */ (
        JSON.parse(line ?? '{}')
      );
    if (error !== undefined) {
      throw new Error(`Redisson: ${error}: ${message}`);
    }
    return value;
  }
}
