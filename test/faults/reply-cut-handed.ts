// What must hold when the answer to a command is cut off that takes a hold or permit to another client.

import { expect } from 'vitest';
import { CommandTimeoutError, NotHeldError, OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import type { LeasedKind, WireScript } from '../support/kinds/kind.js';
import * as locks from '../support/kinds/locks.js';
import { permit } from '../support/kinds/permits.js';
import { rawClient } from '../support/redis.js';
import {
  cutReply,
  keepUnderWay,
  prepare,
  rejection,
  sendsCommands,
  type Case,
  type World,
} from './world.js';

/** The scripts of one kind. */
interface Handed {
  readonly kind: LeasedKind;
  readonly adopt: WireScript;
  readonly putBack: WireScript;
}

const ofLocks = { adopt: scripts.lockAdopt, putBack: scripts.lockPutBack };
const handedLocks: readonly Handed[] = [
  locks.lock,
  locks.fencedLock,
  locks.fairLock,
  locks.writeLock,
].map((kind) => ({ ...ofLocks, kind: kind as LeasedKind }));
const handedPermits: Handed = {
  adopt: scripts.expirableSemaphoreAdopt,
  putBack: scripts.expirableSemaphorePutBack,
  kind: permit,
};

/** A client that gives up soon, connected when this returns. */
async function hasty({ open, name }: World) {
  const client = open({ commandTimeoutMs: 300 });
  await eventually(async () => !(await client.getLock(`${name}-warm-up`).isLocked()));
  return client;
}

async function detached(handed: Handed, world: World): Promise<string> {
  await prepare(handed.kind, world);
  return await (await handed.kind.get(world.other, world.name).acquire()).detach();
}

const detach = (handed: Handed): Case[] => [
  {
    fact: 'a hold that was detached is adopted by who is given the string',
    async run(world) {
      const { proxy, name, client, other } = world;
      await prepare(handed.kind, world);
      const hold = await handed.kind.get(client, name).acquire();
      const fault = cutReply(proxy, scripts.lockDetach);

      const detaching = hold.detach();
      await fault.ran();
      expect(hold.state).not.toBe('released');
      await fault.replay();
      const adopted = await other.adopt(await detaching);

      expect([hold.state, adopted.state]).toEqual(['released', 'held']);
      await handed.kind.expectIn(name, adopted);
    },
  },
  {
    fact: 'a hold stays held when no answer comes, and is released by its client',
    async run(world) {
      const { proxy, name } = world;
      const client = await hasty(world);
      await prepare(handed.kind, world);
      const hold = await handed.kind.get(client, name).acquire();
      const fault = cutReply(proxy, scripts.lockDetach);

      const { error } = await rejection(hold.detach());
      await fault.replay();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      await eventually(() => hold.state === 'held');
      await handed.kind.expectIn(name, hold);
      await hold.release();
      await eventually(async () => await handed.kind.isFree(name));
    },
  },
];

const adopt = (handed: Handed): Case[] => [
  {
    fact: 'it is adopted once, and the copy is answered as the first',
    async run(world) {
      const { proxy, name, client, other } = world;
      const string = await detached(handed, world);
      const fault = cutReply(proxy, handed.adopt);

      const adopting = client.adopt(string);
      await fault.ran();
      const { error } = await rejection(other.adopt(string));
      await fault.replay();
      const adopted = await adopting;

      expect(error).toBeInstanceOf(NotHeldError);
      expect(adopted.isHeld).toBe(true);
      await handed.kind.expectIn(name, adopted);
    },
  },
  {
    fact: 'an adoption that was given up is taken back, and another client can adopt it',
    async run(world) {
      const { proxy, name, other } = world;
      const client = await hasty(world);
      const string = await detached(handed, world);
      const before = await handed.kind.inside(name);
      const fault = cutReply(proxy, handed.adopt);

      const { error } = await rejection(client.adopt(string));
      await fault.replay();
      await eventually(async () => expect(await handed.kind.inside(name)).toEqual(before));
      const adopted = await other.adopt(string);

      expect(error).toBeInstanceOf(CommandTimeoutError);
      await handed.kind.expectIn(name, adopted);
    },
  },
];

const putBack = (handed: Handed): Case[] => [
  {
    fact: 'an adoption that comes after it was given up is not carried out',
    async run(world) {
      const { proxy, name, other } = world;
      const client = await hasty(world);
      const string = await detached(handed, world);
      const before = await handed.kind.inside(name);
      const late = keepUnderWay(proxy, handed.adopt);

      const adopting = rejection(client.adopt(string));
      await late.sent();
      await adopting;
      proxy.cutAll(sendsCommands);
      const burnt = `redlatch_cancelled:{${name}}:*`;
      const known = await rawClient().keys(burnt);
      await eventually(async () => (await rawClient().keys(burnt)).length > known.length);
      await late.deliver();

      expect(await handed.kind.inside(name)).toEqual(before);
      await handed.kind.expectIn(name, await other.adopt(string));
    },
  },
  {
    fact: 'a copy of it leaves the hold to who has adopted it since',
    async run(world) {
      const { proxy, name, other } = world;
      const client = await hasty(world);
      const string = await detached(handed, world);
      const before = await handed.kind.inside(name);
      const first = cutReply(proxy, handed.adopt);
      const fault = cutReply(proxy, handed.putBack);

      await rejection(client.adopt(string));
      await first.replay();
      await fault.ran();
      expect(await handed.kind.inside(name)).toEqual(before);
      const adopted = await other.adopt(string);
      await fault.replay();
      await client.getLock(`${name}-warm-up`).isLocked();

      await handed.kind.expectIn(name, adopted);
    },
  },
];

const ofEach = (cases: (handed: Handed) => Case[]): Case[] =>
  handedLocks.flatMap((handed) =>
    cases(handed).map(({ fact, run }) => ({ fact: `${handed.kind.what}: ${fact}`, run })),
  );

export const handedCases: Readonly<Record<string, readonly Case[]>> = {
  'lock/detach': ofEach(detach),
  'lock/adopt': ofEach(adopt),
  'lock/put-back': ofEach(putBack),
  'expirable-semaphore/adopt': adopt(handedPermits),
  'expirable-semaphore/put-back': putBack(handedPermits),
};
