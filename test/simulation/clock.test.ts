// The server's clock steps back and forth while waiters die, and holders of permits: in virtual time.

import { describe, expect, test } from 'vitest';
import { Random } from '../../src/testing/random.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Client, PermitExpirableSemaphore } from '../../src/index.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

interface Released {
  release(): Promise<unknown>;
}

interface Kind {
  readonly kind: string;
  readonly take: (client: Client) => Promise<Released>;
  /** What a client waits for that is about to die; else as `take`. */
  readonly waitToDie?: (client: Client) => Promise<unknown>;
}

const kinds: Kind[] = [
  { kind: 'lock', take: (client) => client.getLock(OBJECT).acquire() },
  { kind: 'fenced lock', take: (client) => client.getFencedLock(OBJECT).acquire() },
  { kind: 'fair lock', take: (client) => client.getFairLock(OBJECT).acquire() },
  { kind: 'write lock', take: (client) => client.getReadWriteLock(OBJECT).writeLock.acquire() },
  {
    kind: 'read lock behind a writer',
    take: (client) => client.getReadWriteLock(OBJECT).readLock.acquire(),
    waitToDie: (client) => client.getReadWriteLock(OBJECT).writeLock.acquire(),
  },
  {
    kind: 'write lock behind a reader',
    take: (client) => client.getReadWriteLock(OBJECT).writeLock.acquire(),
    waitToDie: (client) => client.getReadWriteLock(OBJECT).readLock.acquire(),
  },
  {
    kind: 'semaphore',
    take: (client) => client.getSemaphore(OBJECT, { permits: 2 }).acquire(),
    waitToDie: (client) => client.getSemaphore(OBJECT, { permits: 2 }).acquire(2),
  },
  {
    kind: 'permit-expirable semaphore',
    take: (client) => client.getPermitExpirableSemaphore(OBJECT, { permits: 2 }).acquire(),
    waitToDie: (client) =>
      client.getPermitExpirableSemaphore(OBJECT, { permits: 2 }).acquireMany(2),
  },
];

const DEATHS = 8;
const HOUR_MS = 3_600_000;
/** A waiter of a semaphore has an entry on the server only when it was passed over for so long. */
const ENTERS_MS = 6_000;
/** What the death of a waiter may cost the others, whatever the clock does. */
const BOUND_MS = 6_500;

describe.each(['direct', 'unseen'] as const)('where clients are %s', (handOff) => {
  test.each(kinds)(
    'a $kind is not kept by waiters that died, though the clock steps back and forth',
    async ({ take, waitToDie = take }) => {
      const terms = { clients: DEATHS + 2, handOffs: [handOff] };
      const { world, finish } = await steadyWorld(lua, terms);
      const { timeline, network } = world;
      const random = new Random(5);
      const [one, other, ...mortal] = world.clients;
      for (const { client, process } of mortal) {
        const held = await finish(take(one!.client));
        waitToDie(client).catch(() => {});
        await timeline.run(timeline.now + ENTERS_MS);
        process.kill();
        for (const link of network.open().filter((each) => each.process === process)) {
          link.close();
        }
        const stepMs = random.int(1, random.pick([2_000, HOUR_MS]));
        world.host.clock.offsetMs += random.pick([-1, -1, 1]) * stepMs;
        // A clock that is set forward may have ended it.
        await finish(held.release().catch(() => {}));
        let next: Released | undefined;
        const taken = take(other!.client).then((hold) => {
          next = hold;
        });

        await timeline.run(timeline.now + BOUND_MS, () => next !== undefined);

        expect(next).toBeDefined();
        await finish(taken);
        await finish(next!.release().catch(() => {}));
      }
    },
  );
});

/** The leases that a world gives by default, and that the clients of these tests ask for, in ms. */
const RENEWED_MS = 3_000;
const FIXED_MS = 2_000;
const UPDATED_MS = 2_500;
/** One lease until a waiter asks again, one more from then on, and what rounding and the way cost. */
const FREED_AFTER_MS = 2 * RENEWED_MS + 1_500;

function semaphoreOf(client: Client): PermitExpirableSemaphore {
  return client.getPermitExpirableSemaphore(OBJECT, { permits: 1 });
}

test.each<{ lease: string; take: (semaphore: PermitExpirableSemaphore) => Promise<unknown> }>([
  { lease: 'renewed lease', take: async (semaphore) => await semaphore.acquire() },
  {
    lease: 'fixed lease',
    take: async (semaphore) => await semaphore.acquire({ leaseMs: FIXED_MS }),
  },
  {
    lease: 'lease that was updated',
    take: async (semaphore) => {
      const { id } = await semaphore.acquire({ leaseMs: FIXED_MS });
      await semaphore.updateLease(id, UPDATED_MS);
    },
  },
])(
  'a permit whose holder died with a $lease is free again, though the clock steps',
  async ({ take }) => {
    const { world, finish } = await steadyWorld(lua, { clients: DEATHS + 1 });
    const { timeline, network } = world;
    const random = new Random(7);
    const [one, ...mortal] = world.clients;
    for (const { client, process } of mortal) {
      await finish(take(semaphoreOf(client)));
      process.kill();
      for (const link of network.open().filter((each) => each.process === process)) {
        link.close();
      }
      let next: Released | undefined;
      const step = (): void => {
        world.host.clock.offsetMs += random.pick([-1, -1, 1]) * random.int(1, HOUR_MS);
      };
      const ask = (): void => {
        void semaphoreOf(one!.client)
          .acquire()
          .then((permit) => {
            next = permit;
          });
      };
      for (const part of random.pick([
        [step, ask],
        [ask, step],
      ])) {
        part();
        await timeline.run(timeline.now + 100);
      }

      await timeline.run(timeline.now + FREED_AFTER_MS, () => next !== undefined);

      expect(next).toBeDefined();
      // A clock that is set forward may have ended it.
      await finish(next!.release().catch(() => {}));
    }
  },
);
