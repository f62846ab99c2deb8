// What is sent while somebody waits, and when: to the millisecond, which only virtual time shows.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';
import type { Client } from '../../src/index.js';

const lua = await LuaEngine.load();

/** How the wait for it goes on: its holder is gone, and its lease of 4 s, which began 1 s before the
 * wait, ends; it is released 1.5 s after the beginning; or it is kept, and renewed. */
type Way = 'ended' | 'released' | 'kept';
/** When which script, or other command, was run: in ms from the beginning of the wait. */
type Schedule = Readonly<Record<string, readonly number[]>>;
type Schedules = Readonly<Partial<Record<Way, Schedule>>>;

interface Kind {
  /** Resolves with how it is given back. */
  readonly hold: (client: Client, leaseMs?: number) => Promise<() => Promise<unknown>>;
  readonly wait: (client: Client) => Promise<unknown>;
}

const lockOf = (get: (client: Client) => ReturnType<Client['getLock']>, other = get): Kind => ({
  hold: async (client, leaseMs) => {
    const hold = await get(client).acquire(leaseMs === undefined ? {} : { leaseMs });
    return async () => await hold.release();
  },
  wait: async (client) => await other(client).tryAcquire({ waitMs: 11_500 }),
});

const readOf = (client: Client) => client.getReadWriteLock(OBJECT).readLock;
const writeOf = (client: Client) => client.getReadWriteLock(OBJECT).writeLock;

const kinds: Readonly<Record<string, Kind>> = {
  lock: lockOf((client) => client.getLock(OBJECT)),
  'fair lock': lockOf((client) => client.getFairLock(OBJECT)),
  'fenced lock': lockOf((client) => client.getFencedLock(OBJECT)),
  'read lock': lockOf(writeOf, readOf),
  'write lock': lockOf(readOf, writeOf),
  semaphore: {
    hold: async (client) => {
      const semaphore = client.getSemaphore(OBJECT);
      await semaphore.trySetPermits(1);
      await semaphore.acquire();
      return async () => {
        await semaphore.release();
      };
    },
    wait: async (client) => await client.getSemaphore(OBJECT).tryAcquire(1, { waitMs: 11_500 }),
  },
  'permit-expirable semaphore': {
    hold: async (client, leaseMs) => {
      const semaphore = client.getPermitExpirableSemaphore(OBJECT);
      await semaphore.trySetPermits(1);
      const permit = await semaphore.acquire(leaseMs === undefined ? {} : { leaseMs });
      return async () => await permit.release();
    },
    wait: async (client) =>
      await client.getPermitExpirableSemaphore(OBJECT).tryAcquire({ waitMs: 11_500 }),
  },
  latch: {
    hold: async (client) => {
      const latch = client.getCountDownLatch(OBJECT);
      await latch.trySetCount(1);
      return async () => {
        await latch.countDown();
      };
    },
    wait: async (client) => await client.getCountDownLatch(OBJECT).wait({ waitMs: 11_500 }),
  },
};

/** When the wait begins. */
const BEGIN = 3_000;

async function asksOf({ hold, wait }: Kind, way: Way): Promise<Record<string, number[]>> {
  const { world, ran, finish } = await steadyWorld(lua);
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  for (const { client } of [holder, waiter]) {
    // A client that has held something for 100 ms listens to its own channel from then on.
    const release = await finish(hold(client));
    await world.timeline.run(world.timeline.now + 110);
    await finish(release());
  }
  await world.timeline.run(2_000);
  const release = await finish(hold(holder.client, way === 'ended' ? 4_000 : undefined));
  await world.timeline.run(BEGIN);
  let outcome: unknown;
  void wait(waiter.client).then((got) => {
    outcome = got;
  });
  if (way === 'released') {
    await world.timeline.run(BEGIN + 1_500);
    void release();
  }
  await world.timeline.run(BEGIN + (way === 'kept' ? 20_000 : 3_500));
  expect(outcome !== null && outcome !== false && outcome !== undefined).toBe(way !== 'kept');
  expect(world.recorder.surprises).toEqual([]);
  const asks: Record<string, number[]> = {};
  for (const { at, name, argv } of ran.filter((each) => each.at >= BEGIN)) {
    // By messages to itself a connection proves beside its pings that it hears something.
    if (name !== 'INFO' && argv[1]?.startsWith('redlatch_self') !== true) {
      (asks[name === 'ping' ? 'PING' : name] ??= []).push(Math.round(at - BEGIN));
    }
  }
  return asks;
}

/** Instants that are `stepMs` from each other. */
const every = (stepMs: number, from: number, to: number): number[] =>
  Array.from({ length: Math.floor((to - from) / stepMs) + 1 }, (_, i) => from + i * stepMs);

const RENEWED = every(1_000, 2, 20_000);
/** Who waits in a queue has to show every 1.3 s that it is alive; an answer takes 1 ms. */
const BEATS = [1, 3, ...every(1_301, 1_304, 11_500)];
/** The same, of one that listens already. */
const ENTRY_BEATS = [1, ...every(1_301, 1_302, 11_500)];
/** Whoever listens hears every 2.5 s whether it still would hear anything: holder and waiter do, since
 * each of them has held something. */
function listening(
  holder: number,
  waiter: number,
): Record<'LISTENS' | 'WOKEN' | 'GIVEN_UP', Schedule> {
  const PING = every(2_500, holder, 20_000).flatMap((at) => [at, at + waiter - holder]);
  const LISTENS = { PING: PING.slice(0, 4), subscribe: [2] };
  return {
    LISTENS,
    WOKEN: { ...LISTENS, unsubscribe: [2_503] },
    GIVEN_UP: { PING, subscribe: [2], unsubscribe: [12_501] },
  };
}
const { LISTENS, WOKEN, GIVEN_UP } = listening(602, 714);
/** A number of permits is set before the first one is held. */
const ofPermits = listening(603, 716);
/** Where nothing has a lease, a client listens from its first wait on, and as long as it waits. */
const FIRST_WOKEN = { PING: [3, 2_502], subscribe: [4], unsubscribe: [2_503] };
const FIRST_GIVEN_UP = {
  PING: [3, ...every(2_500, 2_502, 12_501)],
  subscribe: [4],
  unsubscribe: [12_501],
};

/** Those that wait for a lock listen already. They ask when the lease that they were told should be over, or the
 * window of a grant is half over: the one before them may have been granted the lock. */
const ofLock: Schedules = {
  ended: {
    'lock/enter': [1],
    'lock/recheck': [1_502, 3_003],
    'lock/renew': [2, 1_002, 2_002],
    PING: LISTENS['PING']!,
  },
  released: {
    'lock/enter': [1],
    'lock/recheck': [1_502],
    'lock/release': [1_501],
    'lock/renew': [2, 1_002, 2_503],
    PING: LISTENS['PING']!,
  },
  kept: {
    'lock/enter': [1],
    'lock/recheck': every(1_501, 1_502, 11_500),
    'lock/release': [11_501],
    'lock/renew': RENEWED,
    PING: GIVEN_UP['PING']!,
  },
};

interface Scripts {
  readonly acquire: string;
  readonly release: string;
  readonly leave: string;
  /** Renews the lease of the holder. */
  readonly renewal: string;
  /** Renews that of the one that waited. */
  readonly nextRenewal: string;
}

/** Those that have an entry in a wait queue ask every 1.3 s, which shows that they are alive. */
function inQueue({ acquire, release, leave, renewal, nextRenewal }: Scripts): Schedules {
  return {
    ended: {
      [acquire]: [1, 1_302, 2_603, 3_003],
      [renewal]: [2, 1_002, 2_002],
      PING: LISTENS['PING']!,
    },
    released: {
      [acquire]: [1, 1_302],
      [release]: [1_501],
      [nextRenewal]: [2_502],
      [renewal]: renewal === nextRenewal ? [2, 1_002, 2_502] : [2, 1_002],
      PING: LISTENS['PING']!,
    },
    kept: {
      [acquire]: ENTRY_BEATS,
      [leave]: [11_501],
      [renewal]: RENEWED,
      PING: GIVEN_UP['PING']!,
    },
  };
}

/** A reader listens to the channel of its lock, asks once more then, and leaves the line when it gives up. */
function ofReaders({ acquire, release, leave, renewal, nextRenewal }: Scripts): Schedules {
  return {
    ended: { [acquire]: [1, 3, 1_304, 2_605, 3_003], [renewal]: [2, 1_002, 2_002], ...LISTENS },
    released: {
      [acquire]: [1, 3, 1_304, 1_502],
      [release]: [1_501],
      [nextRenewal]: [2_503],
      [renewal]: renewal === nextRenewal ? [2, 1_002, 2_503] : [2, 1_002],
      ...WOKEN,
    },
    kept: { [acquire]: BEATS, [leave]: [11_501], [renewal]: RENEWED, ...GIVEN_UP },
  };
}

/** Permits are waited for in a queue once a wait was passed over for 5 s. */
const expected: Readonly<Record<string, Schedules>> = {
  lock: ofLock,
  'fenced lock': ofLock,
  'fair lock': inQueue({
    acquire: 'fair-lock/acquire',
    release: 'fair-lock/release',
    leave: 'fair-lock/release',
    renewal: 'lock/renew',
    nextRenewal: 'lock/renew',
  }),
  'read lock': ofReaders({
    acquire: 'rwlock/acquire-read',
    release: 'rwlock/release-write',
    leave: 'rwlock/leave-queue',
    renewal: 'lock/renew',
    nextRenewal: 'rwlock/renew-read',
  }),
  'write lock': inQueue({
    acquire: 'rwlock/acquire-write',
    release: 'rwlock/release-read',
    leave: 'rwlock/release-write',
    renewal: 'rwlock/renew-read',
    nextRenewal: 'lock/renew',
  }),
  semaphore: {
    released: { 'semaphore/acquire': [1, 5, 1_502], 'semaphore/release': [1_501], ...FIRST_WOKEN },
    kept: {
      'semaphore/acquire': [1, 5, ...every(1_302, 5_002, 11_500)],
      'semaphore/give-back': [11_501],
      ...FIRST_GIVEN_UP,
    },
  },
  'permit-expirable semaphore': {
    ended: {
      'expirable-semaphore/acquire': [1, 3, 3_004],
      'expirable-semaphore/renew': [3, 1_003, 2_003],
      ...ofPermits.LISTENS,
    },
    released: {
      'expirable-semaphore/acquire': [1, 3, 1_502],
      'expirable-semaphore/release': [1_501],
      'expirable-semaphore/renew': [3, 1_003, 2_503],
      ...ofPermits.WOKEN,
    },
    kept: {
      'expirable-semaphore/acquire': [1, 3, 3_005, ...every(1_302, 5_002, 11_500)],
      'expirable-semaphore/give-back': [11_501],
      'expirable-semaphore/renew': every(1_000, 3, 20_000),
      ...ofPermits.GIVEN_UP,
    },
  },
  latch: {
    released: { 'latch/inspect': [1, 5, 1_502], 'latch/count-down': [1_501], ...FIRST_WOKEN },
    kept: { 'latch/inspect': [1, 5, 5_006, 10_007], ...FIRST_GIVEN_UP },
  },
};

test.each(
  Object.entries(expected).flatMap(([kind, schedules]) =>
    Object.entries(schedules).map(([way, schedule]) => ({ kind, way: way as Way, schedule })),
  ),
)('a wait for a $kind that is $way asks at these instants', async ({ kind, way, schedule }) => {
  expect(await asksOf(kinds[kind]!, way)).toEqual(schedule);
});
