// @ts-check
// A thousand holds that are renewed: commands per round of the watchdog.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';
import { leased, setUp } from '../lib/kinds.mjs';

const HOLDS = 1_000;
const PERIOD_MS = 1_000;

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {import('../lib/kinds.mjs').LeasedKind} kind
 * @param {number} rounds
 * @returns {Promise<number>} commands per round
 */
async function commandsPerRound({ url, keyPrefix }, kind, rounds) {
  const counter = new CommandCounter(url);
  const client = createClient({ redis: url, keyPrefix, leaseMs: 3 * PERIOD_MS });
  const names = Array.from({ length: HOLDS }, (_, i) => `renewed:${kind}:${i}`);
  await Promise.all(names.map((name) => setUp(client, kind, name)));
  // A round comes a period after the first hold, so count from halfway between two rounds.
  const halfway = sleep(1.5 * PERIOD_MS);
  const holds = await Promise.all(names.map((name) => leased[kind](client, name).acquire()));
  await halfway;
  const commands = await counter.during(() => sleep(rounds * PERIOD_MS));
  const held = holds.filter((hold) => hold.isHeld).length;
  await Promise.all([client.close(), counter.close()]);
  if (held < HOLDS) {
    throw new Error(`only ${held} of ${HOLDS} holds were still held`);
  }
  return commands / rounds;
}

/** @type {import('./index.mjs').Figure} */
export const renewals = {
  id: 'renewals',
  title: `${HOLDS} renewed holds`,
  async measure(bench) {
    const rounds = bench.quick ? 1 : 3;
    /** @type {[string, import('../lib/kinds.mjs').LeasedKind][]} */
    const kinds = [
      ['holds', 'lock'],
      ['read holds', 'read lock'],
      ['permits', 'permit-expirable semaphore'],
    ];
    const rows = [];
    for (const [what, kind] of kinds) {
      const value = await commandsPerRound(bench, kind, rounds);
      rows.push({
        figure: `1,000 renewed ${what}: commands per round`,
        target: /** @type {const} */ ({ is: '<=', limit: 10 }),
        value,
        measured: `${value} (${rounds} rounds)`,
      });
    }
    return rows;
  },
};
