// Which pub/sub a client uses in a cluster, when it is told which.

import { describe, expect, test } from 'vitest';
import { masterOf } from '../../scripts/redis/cluster.mjs';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Client, ClientOptions } from '../../src/index.js';
import { gate } from '../contract/fixture.js';
import { contend } from '../integration/contexts/contexts.js';
import { eventually } from '../support/eventually.js';
import { channelsUnder, rawClient, redisUrl } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { expectWaitEndsByMessage, openClient } from './exercise.js';
import { lock } from '../support/kinds/locks.js';
import { objectKinds } from '../support/kinds/objects.js';

type Mode = NonNullable<ClientOptions['shardedSubscriptionMode']>;

const MASTERS = 3;

const world = await clusterWorld({ masters: MASTERS });

const everyMaster = Array.from({ length: MASTERS }, (_, master) => master);

const open = (mode: Mode): Client =>
  openClient({ redis: world.template(), shardedSubscriptionMode: mode });

/** A client whose own channel is on another master. Where a master sees that a holder listens, its release serves the
 * line, and those who wait need no message on the channel of the lock. */
function openAwayFrom(master: number, mode: Mode): Client {
  for (;;) {
    const client = open(mode);
    if (masterOf(slotOf(`redlatch:${client.id}`), MASTERS) !== master) {
      return client;
    }
  }
}

/** How often each of these commands ran on a master since its figures were reset. */
async function runs(master: number, commands: readonly string[]): Promise<number[]> {
  const stats = await world.node(master).info('commandstats');
  const calls = new Map(
    [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, count]) => [name, count]),
  );
  return commands.map((command) => Number(calls.get(command) ?? 0));
}

const ASKS = 'pubsub|shardnumsub';
const plain = ['publish', 'subscribe'];
/** The own channel of a client is in no slot. */
const plainMessages = ['publish'];
const sharded = ['spublish', 'ssubscribe'];
/** Whoever hands one on asks who listens. */
const handedOn = new Set(['lock', 'fair-lock', 'fenced-lock', 'read-write-lock']);

describe.each([
  { mode: 'off', used: plain, unused: [...sharded, ASKS] },
  { mode: 'on', used: sharded, unused: [...plainMessages, ASKS] },
  { mode: 'auto', used: sharded, unused: plainMessages },
] as const)('told $mode, clients use $used', ({ mode, used, unused }) => {
  test.each(objectKinds)('for a $id, on every master', async (kind) => {
    const waiter = open(mode);
    for (const master of everyMaster) {
      const holder = openAwayFrom(master, mode);
      const name = world.nameOn(master);
      await world.node(master).config('RESETSTAT');
      const taken = await kind.take(holder, name);
      // Shorter than the re-check of a lost message.
      const waiting = kind.wait(waiter, name, { waitMs: 4_000 });
      await eventually(async () => (await channelsUnder(name, world.node(master))).length > 0);

      await taken.free();

      expect(await waiting).not.toBe(false);
      expect(Math.min(...(await runs(master, used)))).toBeGreaterThan(0);
      const never = unused.filter(
        (command) => mode === 'off' || !handedOn.has(kind.id) || command !== ASKS,
      );
      expect(await runs(master, never)).toEqual(never.map(() => 0));
      await taken.remove();
    }
  });

  test('a forced release is told at once to the holder elsewhere, whatever its master', async () => {
    const holder = open(mode);
    const holds = await Promise.all(
      everyMaster.map(async (master) => await holder.getLock(world.nameOn(master)).acquire()),
    );
    const permits = holder.getPermitExpirableSemaphore(world.nameOn(1));
    await permits.trySetPermits(1);
    const permit = await permits.acquire();

    const listens = async (): Promise<boolean> => {
      const channels = everyMaster.map((master) => channelsUnder('redlatch:', world.node(master)));
      const names = new Set((await Promise.all(channels)).flat());
      const digits = permit.id.slice(0, 16);
      return names.has(`redlatch:${holder.id}`) && names.has(`redlatch:${digits}`);
    };
    await eventually(listens);

    const other = open(mode);
    await other.getPermitExpirableSemaphore(permits.name).release(permit.id);
    for (const { lockName } of holds) {
      await other.getLock(lockName).forceRelease();
    }

    // The next renewal would be ten seconds later.
    await eventually(() => [...holds, permit].every(({ state }) => state === 'lost'));
    await permits.delete();
  });

  test('for the very first call of a client, before a node has answered', async () => {
    const name = world.nameOn(1);
    await world.node(1).config('RESETSTAT');

    await open(mode).getCountDownLatch(name).trySetCount(1, { ttlMs: 1_000 });

    const [tell, other] = [used[0], unused[0]];
    expect(await runs(1, [tell ?? '', other ?? ''])).toEqual([1, 0]);
  });
});

test('who hears by a connection to a node that a scope has opened is not in that scope', async () => {
  const [mine, other] = [open('auto'), open('auto')];
  const leader = mine.getLock(world.nameOn(0));
  const [opened, ended] = [gate(), gate()];
  const scope = leader.using(async () => {
    // The first wait for each master makes this client listen there.
    await Promise.all(
      everyMaster.map(async (master) => {
        const name = world.nameOn(master);
        const first = await other.getLock(name).acquire();
        const waiting = mine.getLock(name).using(() => undefined);
        await eventually(async () => (await channelsUnder(name, world.node(master))).length > 0);
        await first.release();
        await waiting;
      }),
    );
    opened.open();
    await ended.opened;
  });
  await opened.opened;

  const depths = await Promise.all(
    everyMaster.map(async (master) => {
      const sides = { waiting: mine, blocking: other, lock: leader, raw: world.node(master) };
      const { release, tried } = await contend(lock, world.nameOn(master), sides);
      await release();
      return await tried;
    }),
  );

  expect(depths).toEqual([null, null, null]);
  ended.open();
  await scope;
});

test.each(['on', 'off', 'auto'] as const)(
  'told %s, clients of one server do as ever',
  async (mode) => {
    const options = { redis: redisUrl(), shardedSubscriptionMode: mode };

    await expectWaitEndsByMessage([openClient(options), openClient(options)], rawClient());
  },
);

test('a user without SPUBLISH is told what its calls have done, and that nobody hears of it', async () => {
  const rights = ['reset', 'on', '>secret', '~*', '&*', '+@all', '-spublish'];
  await Promise.all(
    everyMaster.map(
      async (master) => await world.node(master).call('ACL', 'SETUSER', 'mute', ...rights),
    ),
  );
  const redis = world.template({ username: 'mute', password: 'secret' });
  const client = openClient({ redis });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));

  for (const master of everyMaster) {
    const object = client.getLock(world.nameOn(master));
    const hold = await object.acquire();
    await hold.release();
    await object.acquire();
    expect(await object.forceRelease()).toBe(true);
  }

  expect(errors).toEqual([expect.stringMatching(/^Redis refuses SPUBLISH .*\+spublish/u)]);
});
