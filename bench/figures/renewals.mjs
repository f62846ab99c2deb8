// @ts-check
// A thousand holds that are renewed: commands per round of the watchdog.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';

const HOLDS = 1_000;
const PERIOD_MS = 1_000;

/** @type {import('./index.mjs').Figure} */
export const renewals = {
  id: 'renewals',
  title: `${HOLDS} renewed holds`,
  async measure({ url, keyPrefix, quick }) {
    const rounds = quick ? 2 : 4;
    const counter = new CommandCounter(url);
    const client = createClient({ redis: url, keyPrefix, leaseMs: 3 * PERIOD_MS });
    await client.getLock('renewed').isLocked();
    // A round comes a period after the first hold, so count from halfway between two rounds.
    const halfway = sleep(1.5 * PERIOD_MS);
    const holds = await Promise.all(
      Array.from({ length: HOLDS }, (_, i) => client.getLock(`renewed:${i}`).acquire()),
    );
    await halfway;
    const commands = await counter.during(() => sleep(rounds * PERIOD_MS));
    const held = holds.filter((hold) => hold.isHeld).length;
    await Promise.all([client.close(), counter.close()]);
    if (held < HOLDS) {
      throw new Error(`only ${held} of ${HOLDS} holds were still held`);
    }
    return [
      {
        figure: '1,000 renewed holds: commands per round',
        target: { is: '<=', limit: 10 },
        value: commands / rounds,
        measured: `${commands / rounds} (${rounds} rounds)`,
      },
    ];
  },
};
