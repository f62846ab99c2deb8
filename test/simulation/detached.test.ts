// What a late copy of a command of the old client does to a hold that it has detached, in virtual time: every
// command that it has sent, and the releases that it has not, after each step of the hold's way.

import { expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { NotHeldError, type Client, type Hold, type Permit } from '../../src/index.js';
import type { Session } from '../../src/testing/server/channels.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { look } from './differential/contents.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

interface Kind {
  readonly acquire: (client: Client) => Promise<Hold | Permit>;
  /** Enters once more, and leaves again. */
  readonly reenter?: (client: Client, hold: Hold) => Promise<void>;
  readonly prepare?: (client: Client) => Promise<unknown>;
}

const lockOf = (get: (client: Client) => ReturnType<Client['getLock']>): Kind => ({
  acquire: async (client) => await get(client).acquire(),
  reenter: async (client, hold) => {
    await (await get(client).acquire({ within: hold })).release();
  },
});
const permits = (client: Client) => client.getPermitExpirableSemaphore(OBJECT);

const kinds: Readonly<Record<string, Kind>> = {
  lock: lockOf((client) => client.getLock(OBJECT)),
  'fair lock': lockOf((client) => client.getFairLock(OBJECT)),
  'fenced lock': lockOf((client) => client.getFencedLock(OBJECT)),
  'write lock': lockOf((client) => client.getReadWriteLock(OBJECT).writeLock),
  permit: {
    acquire: async (client) => await permits(client).acquire(),
    prepare: async (client) => await permits(client).trySetPermits(1),
  },
};

const idOf = (grant: Hold | Permit): string => ('id' in grant ? grant.id : grant.holderId);
const tokenOf = (grant: Hold | Permit): bigint | undefined =>
  'id' in grant ? undefined : grant.fencingToken;

/** Records of calls and of burnt ids are no part of what somebody has. */
const isRecord = (key: string): boolean => /^redlatch_(?:requests|cancelled):/u.test(key);

/** All that there is on the server, with its ends. */
function state({ world }: SteadyWorld): readonly unknown[] {
  const { keyspace } = world.host.server;
  const keys = keyspace.keys().filter((key) => !isRecord(key));
  return look(keyspace, keys).map(([, ...content], i) => {
    // A copy of an ask may forget which holder was notified that others wait: it is notified again then.
    const at = content.indexOf('told');
    return [keys[i], ...(at === -1 ? content : content.toSpliced(at, 2))];
  });
}

/** The commands of the old client about this grant, and the releases that state that nothing is left of it. */
function copiesOf({ ran }: SteadyWorld, grant: Hold | Permit): (readonly string[])[] {
  const id = idOf(grant);
  const binary = Buffer.from(id, 'hex').toString('latin1');
  const isAbout = (argv: readonly string[]): boolean =>
    argv.some((part) => part.includes(id) || ('id' in grant && part.includes(binary)));
  return ran
    .filter(({ name, argv }) => name.includes('/') && isAbout(argv))
    .map(({ argv }) => argv);
}

/** The same commands as releases of all that is left. */
function lastReleases(copies: readonly (readonly string[])[]): (readonly string[])[] {
  const releases = [scripts.lockRelease, scripts.fairLockRelease, scripts.rwlockReleaseWrite];
  const sha1s = releases.map(({ sha1 }) => sha1);
  return copies
    .filter(([, sha1 = '']) => sha1s.includes(sha1))
    .map((argv) => argv.with(3 + Number(argv[2]) + 1, '0'));
}

const NOBODY: Session = { isAsking: false, message: () => {}, moved: () => {} };

function replay({ world }: SteadyWorld, copies: readonly (readonly string[])[]): void {
  for (const argv of copies) {
    world.host.server.handle(NOBODY, argv);
  }
}

test.each(Object.entries(kinds))(
  'a late copy of any command of the client that has detached a %s touches nothing',
  async (_, { acquire, reenter, prepare }) => {
    const stage = await steadyWorld(lua);
    const { world, finish } = stage;
    const [old, first, adopter, waiter] = world.clients.map(({ client }) => client) as [
      Client,
      Client,
      Client,
      Client,
    ];
    await finish(prepare?.(old) ?? Promise.resolve());
    // It waits first, so that its ask is a ticket.
    const before = await finish(acquire(first));
    const waited = acquire(old);
    await world.timeline.run(world.timeline.now + 50);
    await finish(before.release());
    const hold = await finish(waited);
    await finish(hold.extend(5_000));
    if ('holderId' in hold) {
      await finish(reenter?.(old, hold) ?? Promise.resolve());
    }
    // It is renewed.
    await world.timeline.run(world.timeline.now + 1_100);

    const detached = await finish(hold.detach({ leaseMs: 900_000 }));
    expect(hold.state).toBe('released');
    const copies = copiesOf(stage, hold);
    expect(copies.length).toBeGreaterThan(3);
    await world.timeline.run(world.timeline.now + 10);
    replay(stage, copies);
    // A burnt id is known for ten minutes: from the adoption on, however long that was under way.
    await world.timeline.run(world.timeline.now + 595_000);
    const waiting = acquire(waiter);
    await world.timeline.run(world.timeline.now + 10);

    const adopted = await finish(adopter.adopt(detached));
    expect([adopted.state, tokenOf(adopted)]).toEqual(['held', tokenOf(hold)]);
    expect(idOf(adopted)).not.toBe(idOf(hold));
    const all = [...copies, ...lastReleases(copies)];
    await world.timeline.run(world.timeline.now + 10);
    const held = state(stage);
    replay(stage, all);
    expect(state(stage)).toEqual(held);
    // Longer than anything that the old client has asked for.
    await world.timeline.run(world.timeline.now + 8_000);
    expect(adopted.state).toBe('held');

    await finish(adopted.release());
    const next = await finish(waiting);
    expect(next.state).toBe('held');
    await world.timeline.run(world.timeline.now + 10);
    const taken = state(stage);
    replay(stage, all);
    expect(state(stage)).toEqual(taken);

    await finish(next.release());
    await world.timeline.run(world.timeline.now + 2_000);
    const free = state(stage);
    replay(stage, all);
    expect(state(stage)).toEqual(free);
    expect(JSON.stringify(free)).not.toContain(idOf(adopted));
  },
);

test.each(Object.entries(kinds))(
  'a %s that nobody has adopted in time is not granted to a late copy, and adopted by nobody',
  async (_, { acquire, prepare }) => {
    const stage = await steadyWorld(lua);
    const { world, finish } = stage;
    const [old, adopter] = world.clients.map(({ client }) => client) as [Client, Client];
    await finish(prepare?.(old) ?? Promise.resolve());
    const hold = await finish(acquire(old));
    const detached = await finish(hold.detach());
    await world.timeline.run(world.timeline.now + 10_000);
    const free = state(stage);

    replay(stage, copiesOf(stage, hold));

    expect(state(stage)).toEqual(free);
    await expect(finish(adopter.adopt(detached))).rejects.toThrow(NotHeldError);
  },
);
