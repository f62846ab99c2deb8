// What must hold when the answer to a ticket is cut off after the server has run its command.

import { expect } from 'vitest';
import { lockEnter, lockRecheck } from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { lock } from '../support/kinds/locks.js';
import { cutReply, expectHolder, type Case } from './world.js';

const line = async (name: string): Promise<number> =>
  await rawClient().llen(`redlatch_line:{${name}}`);

const enter: Case[] = [
  {
    fact: 'a lock that is free is granted once, and its holder id cannot come back after the release',
    async run({ proxy, name, open, other }) {
      const client = open({ handOff: 'strict' });
      const fault = cutReply(proxy, lockEnter);

      const acquiring = client.getLock(name).acquire();
      await fault.ran();
      expect(await other.getLock(name).tryAcquire()).toBeNull();
      await fault.replay();
      const hold = await acquiring;

      await expectHolder(name, hold);
      await hold.release();
      expect(await rawClient().exists(name)).toBe(0);
      expect(await rawClient().pttl(lock.tombstone(name, hold.holderId))).toBeGreaterThan(0);
    },
  },
  {
    fact: 'a waiter has one ticket, and gets in',
    async run({ proxy, name, open, other }) {
      const held = await other.getLock(name).acquire();
      const client = open({ handOff: 'strict' });
      const fault = cutReply(proxy, lockEnter);

      const acquiring = client.getLock(name).acquire();
      await fault.ran();
      await fault.replay();
      await eventually(async () => (await line(name)) === 1);
      await held.release();

      const hold = await acquiring;
      await expectHolder(name, hold);
      await hold.release();
      expect(await line(name)).toBe(0);
    },
  },
];

const recheck: Case[] = [
  {
    fact: 'a waiter whose re-check lost its answer gets in',
    async run({ proxy, name, open, other }) {
      const held = await other.getLock(name).acquire();
      const client = open({ handOff: 'strict' });
      const fault = cutReply(proxy, lockRecheck);

      const acquiring = client.getLock(name).acquire();
      await fault.ran();
      await held.release();
      await fault.replay();

      const hold = await acquiring;
      await expectHolder(name, hold);
      await hold.release();
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

export const lineCases: Record<string, Case[]> = { 'lock/enter': enter, 'lock/recheck': recheck };
