// A wake-up that reaches a waiter who leaves must reach the next one: nobody else will be told.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Client, Hold, Lock } from '../../src/index.js';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import {
  cutReply,
  expectHolder,
  faultWorlds,
  listening,
  runs,
  sendsCommands,
  settledRequests,
  stored,
  take,
  type World,
} from './world.js';

const open = faultWorlds('wake');

/** Well below the re-check of 5 s: whoever gets in this fast was woken. */
const PROMPTLY_MS = 2_500;

interface Scene {
  readonly held: Hold;
  readonly abort: AbortController;
  readonly first: Promise<unknown>;
  readonly second: Promise<Hold>;
}

/** Two waiters of one client sleep behind the hold of another one; the first can be aborted. */
async function twoWaiters(
  { proxy, name, client, other }: World,
  options: { waitMs?: number } = {},
): Promise<Scene> {
  const held = await take(other.getLock(name), { leaseMs: 60_000 });
  const abort = new AbortController();
  const lock = client.getLock(name);
  const first = lock.acquire({ signal: abort.signal, ...options }).catch((error: unknown) => error);
  const second = lock.acquire({ waitMs: 6_000 });
  await listening(name);
  await settledRequests(proxy, name);
  return { held, abort, first, second };
}

async function promptly(work: Promise<Hold>): Promise<Hold> {
  const startedAt = performance.now();
  const hold = await work;
  expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  return hold;
}

/** What a client says it got and lost. */
function tale(client: Client): string[] {
  const told: string[] = [];
  client.on('acquired', ({ holderId }) => told.push(`acquired ${holderId}`));
  client.on('lost', ({ holderId }) => told.push(`lost ${holderId}`));
  return told;
}

describe.concurrent('a waiter that leaves after it was woken', () => {
  test('aborted while it asks: the next one gets in', async (context) => {
    const world = await open(context);
    const { held, abort, first, second } = await twoWaiters(world);
    const asking = world.proxy.holdRequests(runs(scripts.lockAcquire));

    await held.release();
    await eventually(() => asking.held.length === 1);
    abort.abort(new Error('left'));
    asking.release();

    expect(await first).toEqual(new Error('left'));
    await expectHolder(world.name, await promptly(second));
  });

  test('aborted before its question could be sent: the next one gets in', async (context) => {
    const world = await open(context);
    const { held, abort, first, second } = await twoWaiters(world);
    const witness = rawClient(world.proxy.url);
    const told = new Promise((resolve) => {
      witness.once('message', resolve);
    });
    await witness.subscribe(`redisson_lock__channel:{${world.name}}`);

    world.proxy.refuse();
    world.proxy.cutAll(sendsCommands);
    await held.release();
    await told;
    await nextTurn();
    abort.abort(new Error('left'));
    await world.up();

    expect(await first).toEqual(new Error('left'));
    await expectHolder(world.name, await promptly(second));
  });

  test('out of time while it asks: the next one gets in', async (context) => {
    const world = await open(context);
    const { held, first, second } = await twoWaiters(world, { waitMs: 600 });
    const asking = world.proxy.holdRequests(runs(scripts.lockAcquire));

    await held.release();
    await eventually(() => asking.held.length === 1);
    expect(await first).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
    asking.release();

    await expectHolder(world.name, await promptly(second));
  });

  test('aborted when the server has just granted it: the next one gets in', async (context) => {
    const world = await open(context);
    const told = tale(world.client);
    const { held, abort, first, second } = await twoWaiters(world);

    world.proxy.delay({ downMs: 150 });
    await held.release();
    await granted(world, held);
    abort.abort(new Error('left'));

    expect(await first).toEqual(new Error('left'));
    const hold = await promptly(second);
    await expectHolder(world.name, hold);
    expect(told).toEqual([`acquired ${hold.holderId}`]);
  });

  test('aborted with its grant cut off: the next one gets in', async (context) => {
    const world = await open(context);
    const { held, abort, first, second } = await twoWaiters(world);
    const fault = cutReply(world.proxy, scripts.lockAcquire);

    await held.release();
    await fault.ran();
    abort.abort(new Error('left'));
    await fault.replay();

    expect(await first).toEqual(new Error('left'));
    await expectHolder(world.name, await promptly(second));
  });

  test('aborted in the same turn as the release of its own client', async (context) => {
    const world = await open(context);
    const { name, client } = world;
    const lock = client.getLock(name);
    const mine = await take(lock);
    const abort = new AbortController();
    const first = lock.acquire({ signal: abort.signal }).catch((error: unknown) => error);
    const second = lock.acquire();
    await listening(name);
    await settledRequests(world.proxy, name);

    await mine.release();
    abort.abort(new Error('left'));

    expect(await first).toEqual(new Error('left'));
    await expectHolder(name, await promptly(second));
  });

  test('several leave one after the other: the last one gets in', async (context) => {
    const world = await open(context);
    const { name, client, other } = world;
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const lock = client.getLock(name);
    const aborts = Array.from({ length: 8 }, () => new AbortController());
    const leaving = aborts.map(({ signal }) => lock.acquire({ signal }));
    const last = lock.acquire();
    await listening(name);
    await settledRequests(world.proxy, name);
    world.proxy.delay({ upMs: 2, downMs: 2 });

    await held.release();
    const left = await leaveOneByOne(leaving, aborts);

    expect(left).toBe(8);
    await expectHolder(name, await promptly(last));
  });
});

describe.concurrent('an acquisition that was aborted while its answer was under way', () => {
  test('is never announced, nor told as lost', async (context) => {
    const { proxy, name, client } = await open(context);
    const told = tale(client);
    const abort = new AbortController();

    proxy.pauseDownstream();
    const acquiring = client.getLock(name).acquire({ signal: abort.signal });
    await eventually(async () => Object.keys(await stored(name)).length === 1);
    abort.abort(new Error('left'));
    await expect(acquiring).rejects.toThrow('left');
    proxy.resumeDownstream();
    const next = await take(client.getLock(name));
    await next.release();
    await client.close();

    expect(told).toEqual([`acquired ${next.holderId}`]);
  });

  test('does not take the turn of the waiter behind it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const lock = client.getLock(name);
    const abort = new AbortController();

    proxy.pauseDownstream();
    const first = lock.acquire({ signal: abort.signal }).catch((error: unknown) => error);
    const waiting = [1, 2].map(async () => await lock.acquire({ waitMs: 6_000 }));
    await eventually(async () => Object.keys(await stored(name)).length === 1);
    abort.abort(new Error('left'));
    proxy.resumeDownstream();

    await first;
    await passThrough(waiting);
    expect(await other.getLock(name).tryAcquire()).not.toBeNull();
  });

  test('as a re-entry, it leaves its outer hold as it was', async (context) => {
    const { proxy, name, client } = await open(context);
    const told = tale(client);
    const lock = client.getLock(name);
    const outer = await take(lock);
    const abort = new AbortController();

    proxy.pauseDownstream();
    const entering = lock.acquire({ signal: abort.signal, within: outer });
    await eventually(async () => (await stored(name))[outer.holderId] === '2');
    abort.abort(new Error('left'));
    await expect(entering).rejects.toThrow('left');
    proxy.resumeDownstream();
    await lock.isLocked();

    expect(told).toEqual([`acquired ${outer.holderId}`]);
    expect(outer.isHeld).toBe(true);
    await expectHolder(name, outer, 1);
    await outer.release();
    expect(await stored(name)).toEqual({});
  });

  test('by a listener of another grant in the same answer, it leaves nothing', async (context) => {
    const { name, client } = await open(context);
    const abort = new AbortController();
    const locks = [client.getLock(`${name}-a`), client.getLock(`${name}-b`)] as const;
    client.on('acquired', ({ resource }) => {
      if (resource === locks[0].name) {
        abort.abort(new Error('left'));
      }
    });

    const [, second] = await Promise.allSettled([
      locks[0].tryAcquire(),
      locks[1].tryAcquire({ signal: abort.signal }),
    ]);

    expect(second.status).toBe('rejected');
    await eventually(async () => Object.keys(await stored(locks[1].name)).length === 0);
  });
});

/** Waits until the server has the lock with somebody else than before. */
async function granted({ name }: World, before: Hold): Promise<void> {
  await eventually(async () => {
    const [holderId] = Object.keys(await stored(name));
    return holderId !== undefined && holderId !== before.holderId && holderId;
  });
}

/** Each leaves as soon as the one before it has left; a grant that came first is given back. */
async function leaveOneByOne(leaving: Promise<Hold>[], aborts: AbortController[]): Promise<number> {
  let left = 0;
  for (const [i, acquiring] of leaving.entries()) {
    aborts[i]?.abort(new Error('left'));
    const hold = await acquiring.catch(() => undefined);
    await hold?.release();
    left += 1;
  }
  return left;
}

/** Every waiter gets in and lets the next one in. */
async function passThrough(waiting: ReturnType<Lock['acquire']>[]): Promise<void> {
  for (const acquiring of waiting) {
    const hold = await promptly(acquiring);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  }
}
