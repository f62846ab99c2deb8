// A holder blocks its event loop, however the lock came to it: the server gives a lock that was handed on for
// a window only, until that is confirmed, and what a hold promises does not depend on it.

import { describe, expect, test } from 'vitest';
import type { Client, Hold } from '../../src/index.js';
import { privateKey } from '../../src/core/base/key-names.js';
import { fixture, rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { allLasting } from '../support/kinds/kinds.js';
import { titled, type LockKind } from '../support/kinds/kind.js';
import { fairLock, fencedLock, lock, writeLock } from '../support/kinds/locks.js';
import { movingClock, type MovingClock } from '../support/moving-clock.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import { serverInThread } from '../support/server-thread.js';

const { client, name, raw } = fixture('blocked-holders', [
  ...allLasting,
  /redlatch_(tickets|line|writers):/,
  // Of a waiter that was passed the lock of a run which was lost then: its entry lapses.
  /redisson_lock_(queue|timeout):/,
]);

const LEASE_MS = 12_000;
const WINDOW_MS = 4_000;

const kinds: readonly LockKind[] = [lock, fencedLock, fairLock, writeLock];
const ways = ['free', 'handed on', 'passed on'] as const;
type Way = (typeof ways)[number];
const cases = kinds.flatMap((kind) => ways.map((way) => [kind.what, way, kind] as const));

interface Scene {
  readonly clock: MovingClock;
  readonly object: string;
  readonly own: Client;
  readonly told: readonly string[];
}

function scene(redis = redisUrl()): Scene {
  const clock = movingClock();
  const own = client({ redis, leaseMs: LEASE_MS }, clock);
  const told: string[] = [];
  own.on('suspect', () => told.push('suspect'));
  own.on('lost', ({ error }) => told.push(`lost: ${error.reason}`));
  own.on('released', () => told.push('released'));
  return { clock, own, told, object: name() };
}

/** So many wait in the line, and their client is told of grants. */
async function inLine(kind: LockKind, object: string, count: number): Promise<void> {
  await eventually(async () => {
    const entries = Object.entries(await raw.hgetall(privateKey('tickets', object)));
    // Beside them stands which holder was told that others wait.
    const tickets = entries.flatMap(([id, ticket]) => (id.includes(':') ? ticket : []));
    // The waiters of one client for a fair lock have a ticket each, and the first of them asks again.
    expect(tickets).toHaveLength(kind === fairLock ? count : 1);
    expect(tickets.filter((ticket) => /^(?:\d+ )?\d+ 1(?: [01])?$/u.test(ticket))).not.toEqual([]);
  });
}

/** Calls `first` with a hold that came this way, before anything else can happen. */
async function holding<T>(
  { own, object }: Scene,
  kind: LockKind,
  way: Way,
  first: (hold: Hold) => T,
): Promise<T> {
  const entrance = kind.get(own, object);
  if (way === 'free') {
    return first(await entrance.acquire());
  }
  const before = await kind.get(client(), object).acquire();
  const passing = way === 'passed on' ? [entrance.acquire()] : [];
  const got = entrance.acquire().then(first);
  await inLine(kind, object, passing.length + 1);
  await before.release();
  for (const waiting of passing) {
    await (await waiting).release();
  }
  return await got;
}

const look = (hold: Hold) => [hold.isHeld, hold.state, hold.signal.aborted];

const HELD = [true, 'held', false];
const SUSPECT = [false, 'suspect', false];

/** What a holder may see when more than a window has passed, and less than its lease. The answer to the
 * confirmation, or to an ask that was under way at the grant, may have been read before. */
const seenBeyondWindow: Record<Way, readonly unknown[]> = {
  free: [HELD],
  'handed on': [SUSPECT, HELD],
  'passed on': [SUSPECT, HELD],
};

describe.each(cases)('the holder of a %s that was %s', (_, way, kind) => {
  test('and blocks for less than its lease loses nothing', async () => {
    const world = scene();

    const [hold, looks, error] = await holding(world, kind, way, (mine) => {
      world.clock.block(LEASE_MS / 2);
      return [mine, look(mine), thrown(() => mine.assertHeld())] as const;
    });
    await eventually(() => hold.isHeld);

    expect(seenBeyondWindow[way]).toContainEqual(looks);
    expect(error?.reason).toBe(looks[0] === true ? undefined : 'unproven');
    expect(hold.state).toBe('held');
    expect(hold.remainingMs).toBeGreaterThan(WINDOW_MS);
    await hold.release();
    expect(world.told.filter((event) => event.startsWith('lost'))).toEqual([]);
  });

  test('and blocks for longer than its lease sees the loss on its first line', async () => {
    const world = scene();

    const [hold, looks] = await holding(world, kind, way, (mine) => {
      world.clock.block(LEASE_MS);
      return [mine, look(mine)] as const;
    });

    expect(looks).toEqual([false, 'lost', true]);
    expect(await rejection(hold.release())).toMatchObject({ reason: 'unproven' });
    await eventually(async () => await kind.isFree(world.object));
  });

  test('and blocks while Redis goes away never believes in more than the server gives', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const world = scene(proxy.url);

    const [hold, looks] = await holding(world, kind, way, (mine) => {
      proxy.refuse();
      proxy.cutAll();
      world.clock.block(WINDOW_MS);
      return [mine, look(mine)] as const;
    });
    await eventually(() => hold.state !== 'held');
    const isHeld = hold.isHeld;
    world.clock.block(LEASE_MS);

    expect(seenBeyondWindow[way]).toContainEqual(looks);
    expect(isHeld).toBe(looks[0]);
    expect(look(hold)).toEqual([false, 'lost', true]);
    await proxy.accept();
    await eventually(async () => await kind.isFree(world.object));
  });

  test.each([0, 1])('and blocks in `using` ends well, with %i behind it', async (behind) => {
    const world = scene();
    const { clock, own, object, told } = world;
    const entrance = kind.get(own, object);
    const before = way === 'free' ? undefined : await kind.get(client(), object).acquire();
    const passing = way === 'passed on' ? entrance.acquire() : undefined;
    const done = entrance.using(() => clock.block(LEASE_MS / 2));
    const next = Array.from({ length: behind }, () => entrance.acquire());
    if (before !== undefined) {
      await inLine(kind, object, (passing === undefined ? 1 : 2) + behind);
      await before.release();
      await (await passing)?.release();
    }

    await done;
    const holds = await Promise.all(next);
    const ends = told.filter((event) => event !== 'suspect');
    await Promise.all(holds.map(async (hold) => await hold.release()));

    expect(ends).toEqual(passing === undefined ? ['released'] : ['released', 'released']);
    expect(await kind.isFree(object)).toBe(true);
  });
});

describe.each(titled(kinds))(
  'a %s that was handed on, before its confirmation was read,',
  (_, kind) => {
    test('is extended behind that, and re-entered', async () => {
      const world = scene();
      const { clock, own, object } = world;

      const [hold, inner] = await holding(world, kind, 'handed on', async (mine) => {
        clock.block(LEASE_MS / 2);
        const extended = mine.extend(2 * LEASE_MS);
        const reentered = kind.get(own, object).acquire({ within: mine });
        await extended;
        return [mine, await reentered] as const;
      });

      expect([hold.state, inner.state, inner.depth]).toEqual(['held', 'held', 2]);
      expect(hold.remainingMs).toBeGreaterThan(LEASE_MS);
      await inner.release();
      await hold.release();
    });

    test('is not passed on inside its client', async () => {
      const world = scene();
      const entrance = kind.get(world.own, world.object);
      let next: Promise<Hold> | undefined;

      const hold = await holding(world, kind, 'handed on', (mine) => {
        next = entrance.acquire();
        world.clock.block(LEASE_MS / 2);
        void mine.release();
        return mine;
      });
      const after = await next;

      expect(after?.holderId).not.toBe(hold.holderId);
      await after?.release();
    });

    test('is confirmed on the server, though its client blocks before anybody has the hold', async () => {
      const world = scene();
      const server = await serverInThread(redisUrl());
      const left: number[] = [];
      world.own.on('acquired', () => left.push(server.pttlAbove(world.object, WINDOW_MS)));

      const hold = await holding(world, kind, 'handed on', (mine) => mine);
      await server.close();

      expect(left).toHaveLength(1);
      expect(left[0]).toBeGreaterThan(WINDOW_MS);
      await hold.release();
    });
  },
);

function thrown(task: () => void): { reason?: string } | undefined {
  try {
    task();
    return undefined;
  } catch (error) {
    return error as { reason?: string };
  }
}
