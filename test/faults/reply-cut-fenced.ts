// What fencing tokens have to be when the answer to an acquisition is cut off after it has run.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { cutReply, expectHolder, take, type Case } from './world.js';

export const tokens: Case[] = [
  {
    fact: 'its token is larger than any that was issued before, and the next grant has a larger one',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, scripts.lockAcquireFenced);

      const acquiring = take(client.getFencedLock(name));
      await fault.ran();
      const issued = await rawClient().get(`redisson_lock_token:{${name}}`);
      await fault.replay();
      const hold = await acquiring;

      expect(hold.fencingToken).toBeGreaterThan(BigInt(issued ?? ''));
      await hold.release();
      const next = await take(other.getFencedLock(name));
      expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
    },
  },
  {
    fact: 'a re-entry keeps the token and counts once',
    async run({ proxy, name, client }) {
      const lock = client.getFencedLock(name);
      const outer = await take(lock);
      const fault = cutReply(proxy, scripts.lockAcquireFenced);

      const entering = take(lock, { within: outer });
      await fault.ran();
      await fault.replay();
      const inner = await entering;

      expect(inner.fencingToken).toBe(outer.fencingToken);
      await expectHolder(name, outer, 2);
    },
  },
];
