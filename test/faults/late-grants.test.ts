// A lease that is shorter than the way to the server and back: each grant comes when it is over.

import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rejection } from '../contract/fixture.js';
import { exclusiveLocks, leasedKinds } from '../support/kinds/kinds.js';
import { faultWorlds, type World } from './world.js';

const open = faultWorlds('late-grants');

const LEASE_MS = 100;
/** Each grant is late by more than its lease. */
const WAY_MS = 250;

const forms = [
  ['fixed', { leaseMs: LEASE_MS }],
  ['renewed', {}],
] as const;

/** The error of a wait whose grants were all late. */
const tooShort = expect.objectContaining({
  code: 'ERR_COMMAND_TIMEOUT',
  message: expect.stringMatching(/leaseMs 100 .*roundTripMs \d+/) as unknown,
}) as unknown;

/** Who is let in, and keeps it for a moment, until `isOver`. */
async function takeTurns({ other, name }: World, kind: (typeof exclusiveLocks)[number]) {
  const rival = kind.get(other, name);
  const state = { isOver: false };
  const turns = async (): Promise<void> => {
    while (!state.isOver) {
      await using _hold = await rival.acquire();
      await after(10);
    }
  };
  const first = await rival.acquire();
  const done = turns();
  await first.release();
  return async () => {
    state.isOver = true;
    await done;
  };
}

describe.concurrent.each(leasedKinds)('a $what with a lease shorter than the way', (kind) => {
  test.for(forms)('that is %s is refused after two grants', async ([, options], context) => {
    const { proxy, name, client, setPermits } = await open(context, { leaseMs: LEASE_MS });
    if (kind.isSemaphore) {
      await setPermits(1);
    }
    const entrance = kind.get(client, name);
    proxy.delay({ downMs: WAY_MS });

    expect(await rejection(entrance.acquire(options))).toEqual(tooShort);
    expect(await rejection(entrance.tryAcquire(options))).toEqual(tooShort);

    proxy.delay({});
    await using grant = await entrance.acquire({ waitMs: 5_000, leaseMs: 60_000 });
    expect(grant.isHeld).toBe(true);
  });
});

describe.concurrent.each(exclusiveLocks)('a $what with a window shorter than the way', (kind) => {
  test.for(forms)('that is handed on, and %s, is refused', async ([, options], context) => {
    const world = await open(context, { leaseMs: LEASE_MS });
    const { proxy, name, client } = world;
    proxy.delay({ downMs: WAY_MS });
    const stop = await takeTurns(world, kind);

    const error = await rejection(kind.get(client, name).acquire(options));

    expect(error).toEqual(tooShort);
    await stop();
  });
});

test('a read inside a write with a lease shorter than the way is refused', async (context) => {
  const { proxy, name, client } = await open(context);
  const { readLock, writeLock } = client.getReadWriteLock(name);
  await using hold = await writeLock.acquire();
  proxy.delay({ downMs: WAY_MS });

  const error = await rejection(readLock.acquire({ within: hold, leaseMs: LEASE_MS }));

  expect(error).toEqual(tooShort);
  proxy.delay({});
});
