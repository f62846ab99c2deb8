// A wake-up that reaches a waiter who leaves must reach the next one: nobody else will be told.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  cutReply,
  faultWorlds,
  listening,
  runs,
  sendsCommands,
  settledRequests,
  take,
  type World,
  prepare,
} from './world.js';
import { fairLock } from '../support/kinds/locks.js';
import { kinds } from '../support/kinds/kinds.js';
import { titled, type Grant, type Kind } from '../support/kinds/kind.js';

const open = faultWorlds('wake');

/** Well below the re-check of 5 s: whoever gets in this fast was woken. */
const PROMPTLY_MS = 2_500;

interface Scene {
  readonly held: Grant;
  readonly abort: AbortController;
  readonly first: Promise<unknown>;
  readonly second: Promise<Grant>;
}

/** Two waiters of one client sleep behind the hold of another one; the first can be aborted. */
async function twoWaiters(
  kind: Kind,
  world: World,
  options: { waitMs?: number } = {},
): Promise<Scene> {
  const { proxy, name, client, other } = world;
  await prepare(kind, world);
  const held = await take(kind.rival(other, name), { leaseMs: 60_000 });
  const abort = new AbortController();
  const entrance = kind.get(client, name);
  const first = entrance
    .acquire({ signal: abort.signal, ...options })
    .catch((error: unknown) => error);
  const second = entrance.acquire({ waitMs: 6_000 });
  await listening(name, channels(kind, 2));
  await settledRequests(proxy, name);
  return { held, abort, first, second };
}

/** How many channels so many waiters of one client listen to: those of a fair lock one each. */
function channels(kind: Kind, waiters: number): number {
  return kind === fairLock ? waiters : 1;
}

async function promptly<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const hold = await work;
  expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  return hold;
}

/** It alone is in, as soon as what the other one was granted is taken back. */
async function expectIn(kind: Kind, name: string, grant: Grant): Promise<void> {
  await eventually(async () => await kind.expectIn(name, grant));
}

/** What a client says it got and lost. */
function tale(client: Client): string[] {
  const told: string[] = [];
  client.on('acquired', () => told.push('acquired'));
  client.on('lost', () => told.push('lost'));
  return told;
}

/** A lock that is handed on was granted by the time its waiter hears of that: it does not ask. */
const askers = kinds.filter(({ isHandedOn }) => isHandedOn !== true);

describe.concurrent.each(titled(askers))(
  'a waiter for a %s that asks when it was woken',
  (_, kind) => {
    test('aborted while it asks: the next one gets in', async (context) => {
      const world = await open(context);
      const { held, abort, first, second } = await twoWaiters(kind, world);
      const asking = world.proxy.holdRequests(runs(kind.scripts.acquire));

      await held.release();
      await eventually(() => asking.held.length === 1);
      abort.abort(new Error('left'));
      asking.release();

      expect(await first).toEqual(new Error('left'));
      await expectIn(kind, world.name, await promptly(second));
    });

    test('aborted before its question could be sent: the next one gets in', async (context) => {
      const world = await open(context);
      const { held, abort, first, second } = await twoWaiters(kind, world);
      const witness = rawClient(world.proxy.url);
      const told = new Promise((resolve) => {
        witness.once('pmessage', resolve);
      });
      await witness.psubscribe(`*{${world.name}}*`);

      world.proxy.refuse();
      world.proxy.cutAll(sendsCommands);
      await held.release();
      await told;
      await nextTurn();
      abort.abort(new Error('left'));
      await world.up();

      expect(await first).toEqual(new Error('left'));
      await expectIn(kind, world.name, await promptly(second));
    });

    test('out of time while it asks: the next one gets in', async (context) => {
      const world = await open(context);
      const { held, first, second } = await twoWaiters(kind, world, { waitMs: 2_000 });
      const asking = world.proxy.holdRequests(runs(kind.scripts.acquire));

      await held.release();
      await eventually(() => asking.held.length === 1);
      // Nothing proves that others have it: the answer is overdue.
      expect(await first).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
      asking.release();

      await expectIn(kind, world.name, await promptly(second));
    });

    test('aborted with its grant cut off: the next one gets in', async (context) => {
      const world = await open(context);
      const { held, abort, first, second } = await twoWaiters(kind, world);
      const fault = cutReply(world.proxy, kind.scripts.acquire);

      await held.release();
      await fault.ran();
      abort.abort(new Error('left'));
      await fault.replay();

      expect(await first).toEqual(new Error('left'));
      await expectIn(kind, world.name, await promptly(second));
    });
  },
);

describe.concurrent.each(titled(kinds))(
  'a waiter for a %s that leaves after it was woken',
  (_, kind) => {
    test('aborted when the server has just granted it: the next one gets in', async (context) => {
      const world = await open(context);
      const told = tale(world.client);
      const { held, abort, first, second } = await twoWaiters(kind, world);

      world.proxy.delay({ downMs: 150 });
      await held.release();
      await granted(kind, world);
      abort.abort(new Error('left'));

      expect(await first).toEqual(new Error('left'));
      await expectIn(kind, world.name, await promptly(second));
      expect(told).toEqual(['acquired']);
    });

    test('aborted in the same turn as the release of its own client', async (context) => {
      const world = await open(context);
      const { name, client } = world;
      await prepare(kind, world);
      const lock = kind.get(client, name);
      const mine = await take(kind.rival(client, name));
      const abort = new AbortController();
      const first = lock.acquire({ signal: abort.signal }).catch((error: unknown) => error);
      const second = lock.acquire();
      await listening(name, channels(kind, 2));
      await settledRequests(world.proxy, name);

      await mine.release();
      abort.abort(new Error('left'));
      const served = await first;

      if (!(served instanceof Error)) {
        // In the very step of the release.
        await (served as Grant).release();
      }
      await expectIn(kind, name, await promptly(second));
    });

    test('several leave one after the other: the last one gets in', async (context) => {
      const world = await open(context);
      const { name, client, other } = world;
      await prepare(kind, world);
      const held = await take(kind.rival(other, name), { leaseMs: 60_000 });
      const lock = kind.get(client, name);
      const aborts = Array.from({ length: 8 }, () => new AbortController());
      const leaving = aborts.map(({ signal }) => lock.acquire({ signal }));
      const last = lock.acquire();
      await listening(name, channels(kind, 9));
      await settledRequests(world.proxy, name);
      world.proxy.delay({ upMs: 2, downMs: 2 });

      await held.release();
      const left = await leaveOneByOne(leaving, aborts);

      expect(left).toBe(8);
      await kind.expectIn(name, await promptly(last));
    });
  },
);

/** Waits until somebody is in. */
async function granted(kind: Kind, { name }: World): Promise<void> {
  await eventually(async () => !(await kind.isFree(name)));
}

/** Each leaves as soon as the one before it has left; a grant that came first is given back. */
async function leaveOneByOne(
  leaving: Promise<Grant>[],
  aborts: AbortController[],
): Promise<number> {
  let left = 0;
  for (const [i, acquiring] of leaving.entries()) {
    aborts[i]?.abort(new Error('left'));
    const hold = await acquiring.catch(() => undefined);
    await hold?.release();
    left += 1;
  }
  return left;
}
