// @ts-check
// Looks again and again at a line of waiters as it stands in Redis, and keeps what it saw.
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './events.mjs';

/**
 * @typedef {object} Sighting
 * @property {bigint} at a moment after Redis had answered
 * @property {string[]} members in their order
 */

const LOOK_EVERY_MS = 4;

export class Sightings {
  /** @type {Sighting[]} one for each time that the line had changed */
  seen = [];
  #look;
  #saw;
  #over = false;
  /** @type {Promise<void>} */
  #looking;

  /**
   * @param {() => Promise<string[]>} look
   * @param {() => void} saw called when the line has changed
   */
  constructor(look, saw) {
    this.#look = look;
    this.#saw = saw;
    this.#looking = this.#watch();
  }

  async #watch() {
    while (!this.#over) {
      const members = await this.#look();
      if (members.join(' ') !== this.seen.at(-1)?.members.join(' ')) {
        this.seen.push({ at: now(), members });
        this.#saw();
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  async stop() {
    this.#over = true;
    await this.#looking;
  }
}
