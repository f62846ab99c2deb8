// The server's clock steps back and forth while waiters die: in virtual time.

import { describe, expect, test } from 'vitest';
import { Random } from '../../src/testing/random.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Client } from '../../src/index.js';
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

describe.each(['direct', 'race'] as const)('where a release is %s', (handOff) => {
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
        world.clockOffsetMs += random.pick([-1, -1, 1]) * stepMs;
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
