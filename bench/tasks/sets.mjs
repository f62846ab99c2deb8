// @ts-check
// Tasks that hold random sets of the same names, as fast as they can.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';

const NAMES = Array.from({ length: 20 }, (_, i) => `sets:${i}`);
const TASKS = 10;

/**
 * @typedef {object} SetsOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'multi' | 'nested'} how one multi-lock for each set, or a lock for each name inside that of another
 * @property {number} holdMs how long each set is held; 0: it is released at once
 * @property {number} ms length of a round
 * @property {number} warmUpMs length of the first one
 *
 * @typedef {object} SetsRound
 * @property {number} perSecond
 */

/** Two to five names. */
function someNames() {
  const left = [...NAMES];
  return Array.from({ length: randomInt(2, 6) }, () =>
    String(left.splice(randomInt(left.length), 1)[0]),
  );
}

/**
 * @param {SetsOptions} options
 * @returns {{ round(): Promise<SetsRound> }}
 */
export function sets({ url, keyPrefix, how, holdMs, ms, warmUpMs }) {
  const client = createClient({ redis: url, keyPrefix: keyPrefix + how });
  const order = client.getMultiLock(NAMES).names;
  const work = async () => {
    if (holdMs > 0) {
      await sleep(holdMs);
    }
  };
  /** @param {readonly string[]} names those that are still to be taken */
  const nested = async ([first, ...others]) => {
    const next = async () => await nested(others);
    await (first === undefined ? work() : client.getLock(first).using(next));
  };
  const hold = async () => {
    const names = someNames();
    if (how === 'multi') {
      await client.getMultiLock(names).using(work);
    } else {
      // As a multi-lock does it: in any other order they would wait for each other in a circle.
      await nested(order.filter((name) => names.includes(name)));
    }
  };
  let lengthMs = warmUpMs;
  return {
    async round() {
      let held = 0;
      const startedAt = performance.now();
      const repeat = async () => {
        while (performance.now() < startedAt + lengthMs) {
          await hold();
          held += 1;
        }
      };
      await Promise.all(Array.from({ length: TASKS }, repeat));
      lengthMs = ms;
      return { perSecond: (held * 1_000) / (performance.now() - startedAt) };
    },
  };
}
