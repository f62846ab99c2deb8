// The answer to the release of a grant of counting permits is cut off.

import { expect } from 'vitest';
import { INT32_MAX } from '../../src/core/base/arguments.js';
import { OutcomeUnknownError, type Client, type Permits } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { comesBackOnce, left } from './reply-cut-semaphore.js';
import { rawClient } from '../support/redis.js';
import { eventually } from '../support/eventually.js';
import { cutReply, keepUnderWay, rejection, runs, type Case, type World } from './world.js';

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

/** The fields of its grants. */
const grantsOf = async (name: string): Promise<string[]> =>
  (await rawClient().hkeys(recordOf(name))).filter((field) => field.includes(':'));

/** Both permits of a semaphore of two, and what is reported of permits that may be lost. */
async function takeTwo(
  world: World,
  client: Client,
): Promise<{ permits: Permits; lost: () => string[] }> {
  const reported: string[] = [];
  client.on('error', ({ error }) => reported.push(error.message));
  await makeTwo(world);
  const permits = await client.getSemaphore(world.name).acquire(2);
  const about = `permits of "${world.name}" may be lost`;
  return { permits, lost: () => reported.filter((message) => message.includes(about)) };
}

const forgotten = forgetting.flatMap(({ how, forget }): Case[] => [
  {
    fact: `a release that has run gives nothing back again where ${how} between its copies`,
    async run(world) {
      const { proxy, name, client } = world;
      const { permits, lost } = await takeTwo(world, client);
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = permits.release();
      await fault.ran();
      await forget(name);
      await fault.replay();
      await releasing;
      await permits.release();

      expect(await left(name)).toBe(2);
      expect(lost()).toHaveLength(1);
    },
  },
  {
    fact: `a release that has run and was given up gives nothing back again where ${how}`,
    async run(world) {
      const { proxy, name, open } = world;
      const { permits, lost } = await takeTwo(world, open({ commandTimeoutMs: 500 }));
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = rejection(permits.release());
      await fault.ran();
      await forget(name);
      expect((await releasing).error).toBeInstanceOf(OutcomeUnknownError);
      await fault.replay();
      await permits.release();

      expect(await left(name)).toBe(2);
      expect(lost()).toHaveLength(1);
    },
  },
  {
    fact: `permits of which a release was given up are reported once where ${how}, whatever becomes of the answer`,
    async run(world) {
      const { proxy, name, open } = world;
      const { permits, lost } = await takeTwo(world, open({ commandTimeoutMs: 500 }));
      const late = keepUnderWay(proxy, scripts.semaphoreReturn);
      const settling = cutReply(proxy, scripts.semaphoreGiveBack);

      const releasing = rejection(permits.release());
      await late.sent();
      await forget(name);
      await rawClient().hdel(recordOf(name), ...(await grantsOf(name)), 'none');
      world.down();
      await releasing;
      await world.up();
      await settling.ran();
      await settling.replay();
      await permits.release();
      await late.deliver();

      expect(lost()).toHaveLength(1);
    },
  },
]);

const returning: Case[] = [
  ...forgotten,
  {
    fact: 'a grant that is forgotten when its release is to be counted is reported',
    async run(world) {
      const { proxy, name, client } = world;
      const { permits, lost } = await takeTwo(world, client);
      const late = keepUnderWay(proxy, scripts.semaphoreReturn);
      const counted = proxy.holdRequests(runs(scripts.semaphoreRelease));

      const releasing = permits.release();
      await late.sent();
      await forgetGrants(name);
      proxy.cutAll();
      await eventually(() => counted.held.length > 0);
      await rawClient().del(recordOf(name));
      counted.release();
      await releasing;
      await late.deliver();

      expect(await left(name)).toBe(0);
      expect(lost()).toHaveLength(1);
    },
  },
  {
    fact: 'a release that may have run keeps the permits within 32 bits',
    async run(world) {
      const { proxy, name, client, other } = world;
      await makeTwo(world);
      const permits = await client.getSemaphore(name).acquire(2);
      await other.getSemaphore(name).addPermits(INT32_MAX);
      const late = keepUnderWay(proxy, scripts.semaphoreReturn);

      const releasing = rejection(permits.release());
      await late.sent();
      proxy.cutAll();
      const { error } = await releasing;
      await late.deliver();

      expect(error).toBeInstanceOf(RangeError);
      expect(await left(name)).toBe(INT32_MAX);
    },
  },
  {
    fact: 'permits that went with their semaphore are not reported as lost',
    async run(world) {
      const { proxy, name, client, other } = world;
      const { permits, lost } = await takeTwo(world, client);
      const fault = cutReply(proxy, scripts.semaphoreReturn);

      const releasing = permits.release();
      await fault.ran();
      await other.getSemaphore(name).delete();
      await other.getSemaphore(name).trySetPermits(2);
      await forgetGrants(name);
      await fault.replay();
      await releasing;

      expect(await left(name)).toBe(2);
      expect(lost()).toEqual([]);
    },
  },
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
