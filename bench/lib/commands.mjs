// @ts-check
// Counts the commands that clients send, by INFO commandstats. That counts what scripts call as
// well, so every command that a script of ours calls is left out: we send none of those ourselves.
import { Redis } from 'ioredis';
import * as scripts from '../../dist/compiled/core/wire/scripts.generated.js';

/** Commands that set up and check connections, and those that the bench itself sends. */
const NOT_COUNTED = new Set(['hello', 'auth', 'select', 'client', 'ping', 'info', 'script']);

const CALLED_BY_SCRIPTS = new Set([
  'publish',
  'spublish',
  ...Object.values(scripts).flatMap(({ source }) =>
    [...source.matchAll(/redis\.p?call\('(\w+)'/g)].map(([, name = '']) => name.toLowerCase()),
  ),
]);

/**
 * @param {string} name such as "evalsha" or "client|setinfo"
 * @returns {boolean}
 */
function isCounted(name) {
  const [command = name] = name.split('|');
  return !NOT_COUNTED.has(command) && !CALLED_BY_SCRIPTS.has(command);
}

export class CommandCounter {
  #redis;
  #also;

  /**
   * @param {string} url
   * @param {string} [also] a command that is counted though scripts of ours call it
   */
  constructor(url, also) {
    this.#redis = new Redis(url);
    this.#also = also;
  }

  /** Makes the server forget every script, as after a restart. */
  async forgetScripts() {
    await this.#redis.script('FLUSH', 'SYNC');
  }

  /** @returns {Promise<number>} commands since the server started */
  async total() {
    let total = 0;
    const lines = await this.#redis.info('commandstats');
    for (const [, name = '', calls] of lines.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
      total += isCounted(name) || name === this.#also ? Number(calls) : 0;
    }
    return total;
  }

  /** @returns {Promise<number>} microseconds that the server has spent in scripts */
  async scriptMicroseconds() {
    const lines = await this.#redis.info('commandstats');
    const times = [...lines.matchAll(/^cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/gm)];
    return times.reduce((sum, [, usec]) => sum + Number(usec), 0);
  }

  /**
   * @param {string} list
   * @returns {Promise<number>} how many entries it has
   */
  async lengthOf(list) {
    return await this.#redis.llen(list);
  }

  /**
   * @param {() => Promise<unknown>} work
   * @returns {Promise<number>} commands sent while `work` ran
   */
  async during(work) {
    const before = await this.total();
    await work();
    return (await this.total()) - before;
  }

  async close() {
    await this.#redis.quit();
  }
}
