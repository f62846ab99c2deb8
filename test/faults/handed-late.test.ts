// A message that is late, about the grant of a hold that was detached since.

import { expect, onTestFinished, test } from 'vitest';
import type { Hold } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import type { ExclusiveLock } from '../support/kinds/kind.js';
import * as locks from '../support/kinds/locks.js';
import { rawClient } from '../support/redis.js';
import { scriptOf } from '../support/scripts.js';
import { faultWorlds } from './world.js';

const open = faultWorlds('handed-late');
const raw = rawClient();

const letters: [string, string, ExclusiveLock][] = [
  ['lock', 'g', locks.lock],
  ['fenced lock', 'g', locks.fencedLock],
  ['fair lock', 'f', locks.fairLock],
  ['write lock', 'x', locks.writeLock],
];

test.each(letters)(
  'the message that a %s was granted frees it no more once its hold was detached',
  async (_, letter, kind) => {
    const world = await open({ onTestFinished });
    const { proxy, name, client, other } = world;
    const before = await kind.get(other, name).acquire();
    const waiting = kind.get(client, name).acquire();
    await eventually(async () => (await raw.pubsub('NUMSUB', `redlatch:${client.id}`))[1] === 1);
    await before.release();
    const hold = await waiting;
    const mark = await client.getLock(`${name}-mark`).acquire();
    const detached = await hold.detach();

    const token = hold.fencingToken ?? 0;
    const grant = `${letter}${hold.holderId} ${Date.now()} 10000 ${token} ${name}`;
    expect(await raw.publish(`redlatch:${client.id}`, grant)).toBe(1);
    // A connection that is new changes nothing about it.
    proxy.cutAll((connection) => !connection.isSubscriber);
    await eventually(async () => await client.getLock(mark.lockName).isLocked());
    expect(await raw.publish(`redlatch:${client.id}`, grant)).toBe(1);
    const asked = proxy.requests().length;
    await raw.publish(`redlatch:${client.id}`, `e${mark.lockName}`);
    await eventually(() =>
      proxy
        .requests()
        .slice(asked)
        .some((command) => scriptOf(command, [scripts.lockRenew]) !== undefined),
    );
    await client.getLock(mark.lockName).isLocked();

    expect(await kind.inside(name)).toEqual([hold.holderId]);
    const adopted = (await other.adopt(detached)) as Hold;
    await kind.expectIn(name, adopted);
    await adopted.release();
    await mark.release();
  },
);
