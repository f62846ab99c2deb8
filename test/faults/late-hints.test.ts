// Messages and answers travel on two connections, and either may be the faster one. A waiter gets
// in whatever order they arrive in, and whatever becomes of its key without a message.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { WrongTypeError } from '../../src/index.js';
import { lockEnter, rwlockAcquireRead } from '../../src/core/wire/scripts.generated.js';
import { RECHECK_MAX_MS } from '../../src/core/waiting/timing.js';
import { eventually } from '../support/eventually.js';
import type { ProxyConnection } from '../support/proxy.js';
import { skippingClock } from '../support/skipping-clock.js';
import { rawClient } from '../support/redis.js';
import {
  expectHolder,
  faultWorlds,
  isSubscriber,
  keepUnderWay,
  listening,
  runs,
  sendsCommands,
  settledRequests,
  take,
  type World,
  prepare,
} from './world.js';
import { kinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('hints');

/** Well below the re-check of 5 s: whoever gets in this fast was woken. */
const PROMPTLY_MS = 2_500;
/** The re-check, and some time for a busy machine. */
const RECHECKED_MS = 8_000;

const channelOf = (name: string): string => `redisson_lock__channel:{${name}}`;

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const startedAt = performance.now();
  const hold = await work;
  expect(performance.now() - startedAt).toBeLessThan(limitMs);
  return hold;
}

function one({ proxy }: World, which: (connection: ProxyConnection) => boolean): ProxyConnection {
  const [found, ...others] = proxy.connections().filter(which);
  if (found === undefined || others.length > 0) {
    throw new Error(`expected one connection, got ${others.length + (found ? 1 : 0)}`);
  }
  return found;
}

/** The client's connection for commands: its answers will wait until `down.go('paused')`. */
function slowCommands(world: World): ProxyConnection {
  const commands = one(world, sendsCommands);
  commands.down.stop('paused');
  return commands;
}

/** Somebody else who listens, and so says when a message has been published. */
async function witness(channel: string): Promise<{ readonly heard: Promise<unknown> }> {
  const raw = rawClient();
  const message = new Promise((resolve) => {
    raw.once('message', resolve);
  });
  await raw.subscribe(channel);
  return { heard: message.then(async () => await raw.unsubscribe()) };
}

/** The client has a connection that listens, which has nothing to do with the lock under test. */
async function warmedUp(world: World): Promise<ProxyConnection> {
  const { client, other, name } = world;
  const held = await take(other.getLock(`${name}-other`));
  const waiting = client.getLock(held.lockName).acquire();
  await listening(held.lockName);
  await held.release();
  await (await waiting).release();
  return one(world, isSubscriber);
}

describe.concurrent('messages that are faster than answers', () => {
  test('who comes while a left channel is being subscribed hears the release', async (context) => {
    const world = await open(context);
    const { proxy, name, client, other } = world;
    const messages = await warmedUp(world);
    // Readers ask when they are notified; writers are granted the lock by then.
    const channel = `redisson_rwlock:{${name}}`;
    const held = await take(other.getReadWriteLock(name).writeLock, { leaseMs: 60_000 });
    const { readLock } = client.getReadWriteLock(name);
    const abort = new AbortController();
    messages.down.stop('paused');
    const left = readLock.acquire({ signal: abort.signal });
    await eventually(() => messages.commands.some((command) => command.includes(channel)));
    abort.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await listening(name);
    const { heard } = await witness(channel);

    const commands = slowCommands(world);
    const asked = proxy.requests().filter(runs(rwlockAcquireRead)).length;
    const waiting = readLock.acquire({ waitMs: 4_500 });
    await eventually(() => proxy.requests().filter(runs(rwlockAcquireRead)).length > asked);
    messages.down.go('paused');
    await held.release();
    await heard;
    await nextTurn();
    commands.down.go('paused');

    expect((await within(waiting, PROMPTLY_MS)).isHeld).toBe(true);
  });

  test('a forced release that overtakes a grant lets the next one in promptly', async (context) => {
    const world = await open(context);
    const { proxy, name, client, other } = world;
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const first = client.getLock(name).acquire();
    const second = client.getLock(name).acquire({ waitMs: 4_500 });
    await listening(name);
    await settledRequests(proxy, name);

    const commands = slowCommands(world);
    await held.release();
    await eventually(async () => {
      const [holderId] = Object.keys(await stored(name));
      return holderId !== undefined && holderId !== held.holderId;
    });
    const { heard } = await witness(channelOf(name));
    await other.getLock(name).forceRelease();
    await heard;
    await nextTurn();
    commands.down.go('paused');
    const forced = await first;
    const hold = await within(second, PROMPTLY_MS);

    await expectHolder(name, hold);
    // Its own client asks after the hold before anybody else of that client gets in.
    await expect(forced.release()).rejects.toMatchObject({ reason: 'deleted' });
  });
});

describe.concurrent.each(titled(kinds))('a waiter of the own client, for a %s', (_, kind) => {
  test('needs no message to get in', async (context) => {
    const world = await open(context);
    const { proxy, name, client } = world;
    await prepare(kind, world);
    const messages = await warmedUp(world);
    const held = await take(kind.rival(client, name));
    const waiting = kind.get(client, name).acquire({ waitMs: 4_500 });
    await listening(name);
    await settledRequests(proxy, name);

    messages.down.stop('paused');
    await held.release();
    const grant = await within(waiting, PROMPTLY_MS);

    await kind.expectIn(name, grant);
    messages.down.go('paused');
  });
});

describe.concurrent('what no message tells, the re-check does', () => {
  test('the key of the lock was overwritten with something else', async (context) => {
    const { proxy, name, other, open: start } = await open(context);
    const clock = skippingClock();
    const client = start({}, clock);
    await take(other.getLock(name), { leaseMs: 60_000 });
    const waiting = [1, 2].map(
      async () => await client.getLock(name).acquire({ waitMs: RECHECKED_MS }),
    );
    const told = Promise.all(
      waiting.map(async (acquiring) => await acquiring.catch((error: unknown) => error)),
    );
    await listening(name);
    await settledRequests(proxy, name);

    await rawClient().set(name, 'something else', 'PX', 2 * RECHECKED_MS);
    clock.skip(RECHECK_MAX_MS);
    const errors = await told;
    await rawClient().del(name);

    expect(errors.map((error) => (error as Error).constructor)).toEqual(
      waiting.map(() => WrongTypeError),
    );
  });

  test('a late copy of the own question got the lock', async (context) => {
    const { proxy, name, other, open: start } = await open(context);
    const clock = skippingClock();
    const client = start({}, clock);
    const held = await take(other.getLock(name), { leaseMs: 60_000 });
    const bytes = keepUnderWay(proxy, lockEnter);
    const waiting = client.getLock(name).acquire({ waitMs: RECHECKED_MS });
    await bytes.sent();
    proxy.cutAll(sendsCommands);
    await listening(name);
    await settledRequests(proxy, name);

    // Freed without a message.
    await rawClient().del(name);
    await bytes.deliver();
    const [owner] = Object.keys(await stored(name));
    clock.skip(RECHECK_MAX_MS);
    const hold = await within(waiting, RECHECKED_MS);

    expect(hold.holderId).toBe(owner);
    expect(owner).not.toBe(held.holderId);
    await expectHolder(name, hold);
  });
});
