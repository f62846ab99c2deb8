// The answer to the release of a grant of counting permits is cut off.

import { expect } from 'vitest';
import { OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { comesBackOnce, left } from './reply-cut-semaphore.js';
import { cutReply, rejection, type Case, type World } from './world.js';

/** A semaphore of ours: of one that Java has made, no grants are recorded. */
async function makeTwo({ name, other, setPermits }: World): Promise<void> {
  await setPermits(0);
  await other.getSemaphore(name).delete();
  await other.getSemaphore(name).trySetPermits(2);
}

const returning: Case[] = [
  comesBackOnce(scripts.semaphoreReturn, makeTwo),
  {
    fact: 'a release that was given up after it ran gives nothing back again',
    async run(world) {
      const { proxy, name, open } = world;
      await makeTwo(world);
      const permits = await open({ commandTimeoutMs: 500 }).getSemaphore(name).acquire(2);
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = rejection(permits.release());
      await fault.ran();
      expect((await releasing).error).toBeInstanceOf(OutcomeUnknownError);
      await fault.replay();
      await permits.release();

      expect(await left(name)).toBe(2);
    },
  },
];

export const returnCases: Readonly<Record<string, readonly Case[]>> = {
  'semaphore/return': returning,
};
