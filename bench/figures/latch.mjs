// @ts-check
// A thousand waiters of one process, let go by one count-down.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';
import { median } from '../lib/stats.mjs';

const WAITERS = 1_000;

/** @typedef {import('../../dist/index.js').Client} Client */

/**
 * @param {{ waiting: Client, counting: Client, counter: CommandCounter, rounds: number }} setting
 * @returns {Promise<{ ms: number, commands: number }>}
 */
async function letGo({ waiting, counting, counter, rounds }) {
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const costs = [];
  for (let i = 0; i < rounds; i++) {
    const latch = waiting.getCountDownLatch('latch');
    await latch.trySetCount(1);
    const waits = Array.from({ length: WAITERS }, () => latch.wait());
    // All have looked, subscribed and looked again.
    await sleep(300);
    const commands = await counter.during(async () => {
      const startedAt = performance.now();
      await counting.getCountDownLatch('latch').countDown();
      await Promise.all(waits);
      times.push(performance.now() - startedAt);
    });
    costs.push(commands);
  }
  return { ms: median(times), commands: median(costs) };
}

/** @type {import('./index.mjs').Figure} */
export const latch = {
  id: 'latch',
  title: `${WAITERS} waiters on one latch`,
  async measure({ url, keyPrefix, quick }) {
    const counter = new CommandCounter(url);
    const waiting = createClient({ redis: url, keyPrefix });
    const other = createClient({ redis: url, keyPrefix });
    await other.getCountDownLatch('latch').count();
    const rows = [];
    for (const counting of [waiting, other]) {
      const setting = { waiting, counting, counter, rounds: quick ? 3 : 9 };
      const { ms, commands } = await letGo(setting);
      const whose = counting === waiting ? 'by their own client' : 'by another client';
      rows.push({
        figure: `1,000 latch waiters let go ${whose}`,
        value: commands,
        measured: `${commands} commands, ${ms.toFixed(1)} ms`,
        details: { ms },
      });
    }
    await Promise.all([waiting.close(), other.close(), counter.close()]);
    return rows;
  },
};
