// @ts-check
// One of two processes that take one lock in turn and rest in between, or send one another messages.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../dist/index.js';
import { isPeer, locksOf } from '../lib/peers.mjs';

/** Nothing else happens when the lock changes hands. */
const REST_MS = 3;

/**
 * @typedef {object} QuietOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'direct' | 'messages' | import('../lib/peers.mjs').Peer} way
 * @property {number} place 0 or 1
 * @property {number} ms length of a round
 *
 * @typedef {readonly [number, number]} Turn when it began and when it ended, in microseconds of the
 *   clock that both processes share
 */

const nowUs = () => Number(process.hrtime.bigint() / 1_000n);

/**
 * @param {QuietOptions} options
 * @returns {() => Promise<import('../lib/kinds.mjs').Grant>}
 */
function acquirerOf({ url, keyPrefix, way }) {
  const name = `quiet:${way}`;
  if (isPeer(way)) {
    return locksOf(way, url)(keyPrefix + name);
  }
  const lock = createClient({ redis: url, keyPrefix }).getLock(name);
  return () => lock.acquire();
}

/** @param {QuietOptions} options */
function takingTurns(options) {
  const acquire = acquirerOf(options);
  const { ms } = options;
  return async () => {
    /** @type {Turn[]} */
    const turns = [];
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const hold = await acquire();
      const beganAt = nowUs();
      await sleep(REST_MS);
      turns.push([beganAt, nowUs()]);
      await hold.release();
    }
    return turns;
  };
}

/** @param {QuietOptions} options */
async function sendingMessages({ url, keyPrefix, place, ms }) {
  const [commands, subscriber] = [new Redis(url), new Redis(url)];
  const channel = (/** @type {number} */ of) => `${keyPrefix}quiet:${of}`;
  /** @type {(() => void) | undefined} */
  let heard;
  subscriber.on('message', () => heard?.());
  await subscriber.subscribe(channel(place));
  return async () => {
    /** @type {Turn[]} */
    const turns = [];
    const end = performance.now() + ms;
    let isFirst = place === 0;
    while (performance.now() < end) {
      /** @type {Promise<void>} */
      const message = new Promise((resolve) => {
        heard = resolve;
      });
      if (!isFirst) {
        await Promise.race([message, sleep(Math.max(0, end - performance.now()))]);
      }
      isFirst = false;
      const beganAt = nowUs();
      await sleep(REST_MS);
      turns.push([beganAt, nowUs()]);
      await commands.publish(channel(1 - place), 'turn');
    }
    return turns;
  };
}

/**
 * @param {QuietOptions} options
 * @returns {Promise<{ round(): Promise<Turn[]> }>}
 */
export async function quiet(options) {
  const { way } = options;
  return { round: way === 'messages' ? await sendingMessages(options) : takingTurns(options) };
}
