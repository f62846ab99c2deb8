// The answer to the release of a grant of counting permits is cut off.

import { expect } from 'vitest';
import { OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { comesBackOnce, left } from './reply-cut-semaphore.js';
import { rawClient } from '../support/redis.js';
import { cutReply, keepUnderWay, rejection, type Case, type World } from './world.js';

/** A semaphore of ours: of one that Java has made, no grants are recorded. */
async function makeTwo({ name, other, setPermits }: World): Promise<void> {
  await setPermits(0);
  await other.getSemaphore(name).delete();
  await other.getSemaphore(name).trySetPermits(2);
}

/** What is known of a semaphore and its grants. */
const recordOf = (name: string): string => `redlatch_permits:{${name}}`;

/** The record makes room: it forgets all grants so far, and counts one permit that came back without its grant. */
async function forgetGrants(name: string): Promise<void> {
  const raw = rawClient();
  const [of = '', grants = ''] = await raw.hmget(recordOf(name), 'semaphore', 'grants');
  const [id, total, , , isStated, limited] = of!.split(' ');
  const last = grants!.split(' ')[1];
  await raw.hset(recordOf(name), 'semaphore', [id, total, 1, last, isStated, limited].join(' '));
}

/** Ways in which the server forgets a grant, of which the release may have run. */
const forgetting: { how: string; forget: (name: string) => Promise<unknown> }[] = [
  {
    how: 'the record of its semaphore was evicted',
    forget: async (name) => await rawClient().del(recordOf(name)),
  },
  { how: 'its grant made room for others', forget: forgetGrants },
];

const lostFor = (name: string): RegExp => new RegExp(`permits of "${name}" may be lost`, 'u');

const forgotten = forgetting.flatMap(({ how, forget }): Case[] => [
  {
    fact: `a release that has run gives nothing back again where ${how} between its copies`,
    async run(world) {
      const { proxy, name, client } = world;
      const errors: string[] = [];
      client.on('error', ({ error }) => errors.push(error.message));
      await makeTwo(world);
      const permits = await client.getSemaphore(name).acquire(2);
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = permits.release();
      await fault.ran();
      await forget(name);
      await fault.replay();
      await releasing;
      await permits.release();

      expect(await left(name)).toBe(2);
      expect(errors).toContainEqual(expect.stringMatching(lostFor(name)));
    },
  },
  {
    fact: `a release that has run and was given up gives nothing back again where ${how}`,
    async run(world) {
      const { proxy, name, open } = world;
      const client = open({ commandTimeoutMs: 500 });
      const errors: string[] = [];
      client.on('error', ({ error }) => errors.push(error.message));
      await makeTwo(world);
      const permits = await client.getSemaphore(name).acquire(2);
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = rejection(permits.release());
      await fault.ran();
      await forget(name);
      expect((await releasing).error).toBeInstanceOf(OutcomeUnknownError);
      await fault.replay();
      await permits.release();

      expect(await left(name)).toBe(2);
      expect(errors).toContainEqual(expect.stringMatching(lostFor(name)));
    },
  },
]);

const returning: Case[] = [
  ...forgotten,
  {
    fact: 'a release whose first copy did not run is carried out where the record shows its grant',
    async run(world) {
      const { proxy, name, client } = world;
      await makeTwo(world);
      const permits = await client.getSemaphore(name).acquire(2);
      const late = keepUnderWay(proxy, scripts.semaphoreReturn);

      const releasing = permits.release();
      await late.sent();
      await forgetGrants(name);
      proxy.cutAll();
      await releasing;
      await late.deliver();

      expect(await left(name)).toBe(2);
    },
  },
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
