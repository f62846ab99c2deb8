// @ts-check
// The processes of the load. They stay for all runs: only their clients are made anew.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ type: string, grants?: import('./count.mjs').Grant[], problems?: string[] }} Message
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 */

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const PROCESSES = 2;
const LIMIT_MS = 20_000;

/**
 * @param {ChildProcess} child
 * @param {string} type
 * @returns {Promise<Message>}
 */
async function messageOf(child, type) {
  return await new Promise((resolve, reject) => {
    const settle = (/** @type {() => void} */ then) => {
      clearTimeout(timer);
      child.off('message', hear);
      child.off('exit', exited);
      then();
    };
    const hear = (/** @type {unknown} */ told) => {
      const message = /** @type {Message} */ (told);
      if (message.type === type) {
        settle(() => resolve(message));
      }
    };
    const exited = () => settle(() => reject(new Error('a process of the load has ended')));
    const timer = setTimeout(() => {
      settle(() => reject(new Error(`not "${type}" within ${LIMIT_MS} ms`)));
    }, LIMIT_MS);
    child.on('message', hear);
    child.once('exit', exited);
  });
}

export class Crew {
  #children;

  /** @param {ChildProcess[]} children */
  constructor(children) {
    this.#children = children;
  }

  static async start() {
    const children = Array.from({ length: PROCESSES }, () => fork(WORKER));
    process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
    await Promise.all(children.map(async (child) => await messageOf(child, 'ready')));
    return new Crew(children);
  }

  /** @param {import('./worker.mjs').Order} order */
  play({ seed, ...order }) {
    for (const [index, child] of this.#children.entries()) {
      child.send({ type: 'play', order: { ...order, seed: seed + index } });
    }
  }

  /** Each process has been granted something that it asked for after this. */
  async regained() {
    const answers = this.#children.map(async (child) => await messageOf(child, 'regained'));
    this.#tell('promoted');
    await Promise.all(answers);
  }

  /** Ends the load. */
  async end() {
    const answers = this.#children.map(async (child) => await messageOf(child, 'ended'));
    this.#tell('end');
    const ended = await Promise.all(answers);
    return {
      grants: ended.flatMap(({ grants = [] }) => grants),
      problems: ended.flatMap(({ problems = [] }) => problems),
    };
  }

  stop() {
    for (const child of this.#children) {
      child.disconnect();
    }
  }

  /** @param {string} type */
  #tell(type) {
    for (const child of this.#children) {
      child.send({ type });
    }
  }
}
