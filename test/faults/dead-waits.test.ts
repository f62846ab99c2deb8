// A wait that runs out while the server is dead, silent or refuses does not say that somebody else has it.

import { describe, expect, test } from 'vitest';
import { AcquireTimeoutError, CommandTimeoutError } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { kinds } from '../support/kinds/kinds.js';
import { lock } from '../support/kinds/locks.js';
import { faultWorlds, take, type World } from './world.js';

const open = faultWorlds('dead-waits');

/** What becomes of the server in the middle of a wait. */
const ends: Readonly<Record<string, (world: World) => void>> = {
  'is gone': ({ down }) => {
    down();
  },
  'falls silent': ({ proxy }) => {
    proxy.pauseDownstream();
  },
};

/** Longer than the longest time between two asks of a wait. */
const LONG_MS = 5_800;
/** A connection that is gone says so at once. */
const WAITS_MS: Readonly<Record<string, number>> = { 'is gone': 900, 'falls silent': LONG_MS };

/** Waits until a short wait of the client ends as contention: the server has answered that others have it. */
async function answered(isContention: () => Promise<boolean>): Promise<void> {
  await eventually(async () => await isContention().catch(() => false));
}

describe.each(Object.entries(ends))('where Redis %s in the middle of a wait', (end, happens) => {
  const waitMs = WAITS_MS[end]!;

  test.concurrent.for(kinds.map((kind) => [kind.what, kind] as const))(
    'for a %s, it says so',
    async ([, kind], context) => {
      const world = await open(context);
      const { client, other, name } = world;
      if (kind.isSemaphore) {
        await world.setPermits(1);
      }
      const rival = await take(kind.rival(other, name));
      const object = kind.get(client, name);
      const acquires = rejection(object.acquire({ waitMs }));
      const tries = rejection(object.tryAcquire({ waitMs }));
      const uses = rejection(object.using({ waitMs }, () => undefined));
      await answered(async () => (await object.tryAcquire({ waitMs: 50 })) === null);

      happens(world);
      const errors = await Promise.all([acquires, tries, uses]);

      expect(errors).toEqual(Array(3).fill(expect.any(CommandTimeoutError)));
      world.proxy.resumeDownstream();
      await rival.release();
    },
  );

  test.concurrent('for a latch, it says so', async (context) => {
    const world = await open(context);
    const { client, other, name } = world;
    await other.getCountDownLatch(name).trySetCount(1, { ttlMs: 60_000 });
    const latch = client.getCountDownLatch(name);
    const waits = rejection(latch.wait({ waitMs }));
    await answered(async () => !(await latch.wait({ waitMs: 50 })));

    happens(world);

    expect(await waits).toBeInstanceOf(CommandTimeoutError);
    world.proxy.resumeDownstream();
    await other.getCountDownLatch(name).delete();
  });
});

test('a wait behind a hold of its own client is contention, whatever the connection does', async (context) => {
  const { client, name, down, up } = await open(context);
  const hold = await lock.get(client, name).acquire();
  down();

  const error = await rejection(lock.get(client, name).acquire({ waitMs: 200 }));

  expect([hold.isHeld, error]).toEqual([true, expect.any(AcquireTimeoutError)]);
  await up();
  await hold.release();
});

test.concurrent.for(kinds.map((kind) => [kind.what, kind] as const))(
  'what an earlier wait for a %s was answered says nothing to a later one',
  async ([, kind], context) => {
    const world = await open(context);
    const { client, other, name, proxy } = world;
    if (kind.isSemaphore) {
      await world.setPermits(1);
    }
    const rival = await take(kind.rival(other, name));
    const object = kind.get(client, name);
    await answered(async () => (await object.tryAcquire({ waitMs: 50 })) === null);
    await rival.release();
    proxy.pauseDownstream();

    // Less than an answer may take.
    const error = await rejection(object.tryAcquire({ waitMs: 50 }));

    expect(error).toBeInstanceOf(CommandTimeoutError);
    proxy.resumeDownstream();
  },
);
