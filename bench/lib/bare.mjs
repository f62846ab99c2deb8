// @ts-check
// What a careful person would write by hand on a bare driver: the same scripts with the same
// operands, a fresh holder id, request number or permit id each time, and nothing else.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import * as scripts from '../../dist/compiled/core/wire/scripts.generated.js';
import { PERMITS } from './kinds.mjs';

/** @typedef {import('../../dist/compiled/core/wire/script.js').Operand} Operand */

export class Bare {
  clientId = randomUUID();
  #redis;
  #last = 0;

  /** @param {string} url */
  constructor(url) {
    this.#redis = new Redis(url);
  }

  /** The scripts are called by digest only, so the server has to know them. */
  async loadScripts() {
    for (const { source } of Object.values(scripts)) {
      await this.#redis.script('LOAD', source);
    }
  }

  /** @param {string} key */
  async setPermits(key) {
    await this.#redis.set(key, PERMITS);
  }

  /** A number that was never used before. */
  next() {
    this.#last += 1;
    return this.#last;
  }

  /**
   * @param {{ sha1: string }} script
   * @param {Operand[]} operands
   * @returns {Promise<unknown>}
   */
  async run(script, operands) {
    return await this.#redis.evalsha(script.sha1, .../** @type {[number]} */ (operands));
  }
}

/** @param {boolean} succeeded */
export function check(succeeded) {
  if (!succeeded) {
    throw new Error('an object of ours was in use');
  }
}
