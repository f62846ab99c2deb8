// @ts-check
// Adds up what the processes of the simulation tell.

import Table from 'cli-table3';

/**
 * @typedef {object} Message
 * @property {number} done seeds since the last message
 * @property {number} counted of them those in which enough happened
 * @property {Record<string, { checked: number, violations: number }>} properties
 * @property {Record<string, number>} happened
 * @property {{ seed: number, text: string }[]} failures
 * @property {import('./traces.mjs').Traced[]} traces of the seeds, where they are wanted
 */

export class Totals {
  done = 0;
  counted = 0;
  /** @type {string[]} */
  failures = [];
  /** @type {Set<number>} */
  failedSeeds = new Set();
  /** @type {import('./traces.mjs').Traced[]} */
  traced = [];
  #wanted;
  /** @type {Map<string, { checked: number, violations: number }>} */
  #properties = new Map();
  /** @type {Map<string, number>} */
  #happened = new Map();

  /** @param {number} wanted */
  constructor(wanted) {
    this.#wanted = wanted;
  }

  /** @param {Message} message */
  add({ done, counted, properties, happened, failures, traces }) {
    this.done += done;
    this.counted += counted;
    for (const [name, { checked, violations }] of Object.entries(properties)) {
      const sum = this.#properties.get(name) ?? { checked: 0, violations: 0 };
      sum.checked += checked;
      sum.violations += violations;
      this.#properties.set(name, sum);
    }
    for (const [name, count] of Object.entries(happened)) {
      this.#happened.set(name, (this.#happened.get(name) ?? 0) + count);
    }
    this.traced = this.traced.concat(traces);
    for (const { seed, text } of failures) {
      this.failures.push(text);
      this.failedSeeds.add(seed);
    }
  }

  /** @param {number} seconds */
  progress(seconds) {
    const perMinute = Math.round((this.done / seconds) * 60);
    const leftS = Math.ceil(((this.#wanted - this.done) / Math.max(1, perMinute)) * 60);
    return `${this.done} of ${this.#wanted} seeds, ${this.failedSeeds.size} failed, ${perMinute} a minute, ${leftS} s left`;
  }

  table() {
    const properties = new Table({ head: ['property', 'checked', 'violations'], ...PLAIN });
    for (const [name, { checked, violations }] of this.#properties) {
      properties.push([name, checked, violations]);
    }
    const happened = new Table({ head: ['what happened', 'times'], ...PLAIN });
    for (const [name, count] of this.#happened) {
      happened.push([name, count]);
    }
    return `${properties.toString()}\n\n${happened.toString()}\n`;
  }
}

const PLAIN = {
  style: { head: [], border: [] },
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  },
};
