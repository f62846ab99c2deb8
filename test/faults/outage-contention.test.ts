// What somebody was told before Redis went away says nothing to those who come after.

import { expect, test } from 'vitest';
import { CommandTimeoutError } from '../../src/index.js';
import { faultWorlds, rejection, take } from './world.js';
import { lockKinds } from '../support/kinds/kinds.js';

const open = faultWorlds('outage-contention');

for (const kind of lockKinds) {
  test(`behind a waiter of a ${kind.what} that was told "busy", an outage is told as one`, async (context) => {
    const world = await open(context);
    const { client, other, name } = world;
    const rival = await take(kind.rival(other, name));
    const lock = kind.get(client, name);
    const waiting = lock.acquire();
    await expect(lock.tryAcquire({ waitMs: 500 })).resolves.toBeNull();
    world.down();

    const outcome = await rejection(lock.tryAcquire({ waitMs: 200 }));

    expect(outcome.error).toBeInstanceOf(CommandTimeoutError);
    await world.up();
    await rival.release();
    await (await waiting).release();
  });
}
