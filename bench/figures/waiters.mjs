// @ts-check
// A thousand waiters of one process on one lock that stays held: what the wait itself costs.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { CommandCounter } from '../lib/commands.mjs';

const WAITERS = 1_000;
const SECONDS = 10;

/** No renewal falls into the measurement. */
const LEASE_MS = 600_000;

/** @type {import('./index.mjs').Figure} */
export const waiters = {
  id: 'waiters',
  title: `${WAITERS} waiters on one held lock`,
  async measure({ url, keyPrefix, quick }) {
    const counter = new CommandCounter(url);
    const holder = createClient({ redis: url, keyPrefix, leaseMs: LEASE_MS });
    const client = createClient({ redis: url, keyPrefix, leaseMs: LEASE_MS });
    const hold = await holder.getLock('waited').acquire();
    const waits = Array.from({ length: WAITERS }, () => client.getLock('waited').acquire());
    const ended = Promise.allSettled(waits);
    // All have joined; the head has asked, subscribed and asked again.
    await sleep(1_000);
    const seconds = quick ? 6 : SECONDS;
    const commands = await counter.during(() => sleep(seconds * 1_000));
    await client.close();
    const results = await ended;
    await hold.release();
    await Promise.all([holder.close(), counter.close()]);
    if (results.some(({ status }) => status === 'fulfilled')) {
      throw new Error('the lock was not held all the time');
    }
    return [
      {
        figure: `1,000 waiters: commands in ${SECONDS} s`,
        target: { is: '<=', limit: 10 },
        value: (commands * SECONDS) / seconds,
        measured: `${commands} in ${seconds} s`,
      },
    ];
  },
};
