// @ts-check
// Tasks that take one object in turn, as fast as they can.
import { setTimeout as sleep } from 'node:timers/promises';
import { contenderOf } from '../lib/contenders.mjs';

const nowUs = () => Number(process.hrtime.bigint()) / 1_000;

/**
 * @typedef {object} OfTasks
 * @property {number} tasks
 * @property {number} holdMs how long each keeps it; 0: it releases at once
 * @property {number} ms length of a round
 * @property {number} warmUpMs length of the first one
 * @property {boolean} [isChecked] notes when each had it
 * @property {number} [readers] of a hundred acquisitions of a read-write lock, how many are to read
 *
 * @typedef {import('../lib/contenders.mjs').Contended & OfTasks} ContendOptions
 *
 * @typedef {object} ContendRound
 * @property {number} acquisitions
 * @property {number} seconds
 * @property {number} longestMs longest wait for one
 * @property {number} sent commands that the server does not tell from those of scripts
 * @property {readonly number[]} spans when each had it: from and to, in microseconds of the clock that all
 *   processes share
 * @property {readonly number[]} sharedSpans the same of those who only read
 */

/**
 * @param {ContendOptions} contest
 * @returns {Promise<{ round(): Promise<ContendRound> }>}
 */
export async function contend(contest) {
  const { tasks, holdMs, ms, warmUpMs, isChecked = false, readers = 0, ...options } = contest;
  const contender = await contenderOf(options);
  let lengthMs = warmUpMs;
  return {
    async round() {
      let acquisitions = 0;
      let longestMs = 0;
      /** @type {number[]} */
      const spans = [];
      /** @type {number[]} */
      const sharedSpans = [];
      const sentBefore = contender.sent ?? 0;
      const startedAt = performance.now();
      const repeat = async () => {
        let now = performance.now();
        while (now < startedAt + lengthMs) {
          const isShared = Math.random() * 100 < readers;
          const grant = await contender.acquire(isShared);
          longestMs = Math.max(longestMs, performance.now() - now);
          acquisitions += 1;
          const from = nowUs();
          if (holdMs > 0) {
            await sleep(holdMs);
          }
          if (isChecked) {
            (isShared ? sharedSpans : spans).push(from, nowUs());
          }
          await grant.release();
          now = performance.now();
        }
      };
      await Promise.all(Array.from({ length: tasks }, repeat));
      lengthMs = ms;
      const seconds = (performance.now() - startedAt) / 1_000;
      const sent = (contender.sent ?? 0) - sentBefore;
      return { acquisitions, seconds, longestMs, sent, spans, sharedSpans };
    },
  };
}
