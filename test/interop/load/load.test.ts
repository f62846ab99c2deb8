// Scenario 2: two Java threads and two Node processes in and out of one object, some thousand times.

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { listening } from '../../faults/world.js';
import {
  type Counts,
  countsOf,
  expectExclusion,
  heard,
  startCrowd,
  tell,
} from '../../process/crowd.js';
import { ENTER, LEAVE } from '../../process/workers/gauge.mjs';
import { promised } from '../../support/broken-promise.js';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';
import { interopWorlds, type World } from '../support/world.js';

type Side = 'alone' | 'shared';

interface Kind {
  readonly what: string;
  /** What the first and the second one of each language do. */
  readonly roles: readonly (readonly [kind: string, side: Side])[];
  readonly total: number;
  /** How many may share it. */
  readonly limit: number;
  /** Connections that listen once everybody waits: one a channel and process. */
  readonly listeners: number;
  /** How Node's waiters get it from each other. */
  readonly handOff?: 'direct' | 'strict';
  /** Node goes on until Java has done. */
  readonly goesOn?: boolean;
  /** Keeps everybody out until the returned function is called. */
  close(client: Client, name: string): (() => Promise<unknown>) | Promise<() => Promise<unknown>>;
}

interface Run {
  /** Sections of each of its two. */
  readonly java: readonly number[];
  readonly node: readonly number[];
}

const SCRIPT = fileURLToPath(new URL('workers/sections.mjs', import.meta.url));
const NO_LIMIT = 1_000_000;
const PERMITS = 3;

const open = interopWorlds('load');

function exclusive(what: string, kind: 'lock' | 'fair' | 'fenced', listeners: number): Kind {
  return {
    what,
    roles: [
      [kind, 'alone'],
      [kind, 'alone'],
    ],
    total: 4_000,
    limit: NO_LIMIT,
    listeners,
    close: async (client, name) => {
      const locks = {
        lock: client.getLock(name),
        fair: client.getFairLock(name),
        fenced: client.getFencedLock(name),
      };
      const hold = await locks[kind].acquire();
      return async () => await hold.release();
    },
  };
}

function shared(what: string, kind: 'semaphore' | 'permits'): Kind {
  return {
    what,
    roles: [
      [kind, 'shared'],
      [kind, 'shared'],
    ],
    total: 6_000,
    limit: PERMITS,
    listeners: 3,
    // Nobody gets in before it has permits.
    close: (client, name) => {
      const semaphore =
        kind === 'semaphore' ? client.getSemaphore(name) : client.getPermitExpirableSemaphore(name);
      return async () => await semaphore.trySetPermits(PERMITS);
    },
  };
}

const lock = exclusive('lock', 'lock', 3);
// Who waits for it has a channel of its own.
const fairLock = exclusive('fair lock', 'fair', 4);
const handedFairLock: Kind = {
  ...fairLock,
  what: 'fair lock that is handed on',
  handOff: 'strict',
};
const fencedLock = exclusive('fenced lock', 'fenced', 3);
const strictLock: Kind = {
  ...lock,
  what: 'lock that is handed on',
  handOff: 'strict',
};
const directLock: Kind = {
  ...lock,
  what: 'lock with local runs',
  handOff: 'direct',
};
const strictFencedLock: Kind = {
  ...fencedLock,
  what: 'fenced lock that is handed on',
  handOff: 'strict',
};
const semaphore = shared('semaphore', 'semaphore');
const expirableSemaphore = shared('permit-expirable semaphore', 'permits');

const readWriteLock: Kind = {
  what: 'read-write lock',
  roles: [
    ['read', 'shared'],
    ['write', 'alone'],
  ],
  total: 4_000,
  limit: NO_LIMIT,
  listeners: 3,
  // A Java thread that is about to sleep misses the end of a writer (R2), its own side's too, until
  // the next message: somebody has to bring one.
  goesOn: true,
  close: async (client, name) => {
    const hold = await client.getReadWriteLock(name).writeLock.acquire();
    return async () => await hold.release();
  },
};

function startJava({ java, name }: World, kind: Kind): Promise<{ sections: number }>[] {
  return kind.roles.map(async ([role, side], i) => {
    const { total, limit } = kind;
    const args = { enter: ENTER, leave: LEAVE, gauge: `${name}:gauge`, side, total, limit };
    return await java
      .thread(`${i}`)
      .call(
        `sections.${role}`,
        name,
        side === 'alone' ? { ...args, counter: `${name}:counter` } : args,
      );
  });
}

/** Lets all four in at once, again and again until so many were inside. */
async function run(world: World, kind: Kind): Promise<Run> {
  const { name, node } = world;
  const letIn = await kind.close(node, name);
  const crowd = await startCrowd(SCRIPT, 2, (i) => {
    const [role = '', side = ''] = kind.roles[i] ?? [];
    return [redisUrl(), name, role, side, kind.total, kind.limit, kind.handOff ?? 'direct'];
  });
  const letAllIn = async (): Promise<void> => {
    await eventually(
      async () => {
        await listening(name, kind.listeners);
        return true;
      },
      { withinMs: 20_000 },
    );
    await letIn();
  };
  const runJava = async (): Promise<{ sections: number }[]> => {
    const done = await Promise.all(startJava(world, kind));
    if (kind.goesOn === true) {
      tell(crowd, { type: 'stop' });
    }
    return done;
  };
  tell(crowd, { type: 'go', goesOn: kind.goesOn });
  const [ofJava, ofNode] = await Promise.all([
    runJava(),
    heard<{ readonly type: string; sections: number }>(crowd, 'done', { withinMs: 50_000 }),
    letAllIn(),
  ]);
  return {
    java: ofJava.map(({ sections }) => sections),
    node: ofNode.map(({ sections }) => sections),
  };
}

/** What the gauge says, and what was counted by reading and writing; both are gone then. */
async function outcome({ name, raw }: World): Promise<Counts & { counter: number }> {
  const counts = await countsOf(raw, `${name}:gauge`);
  const counter = Number(await raw.get(`${name}:counter`));
  await raw.del(`${name}:gauge`, `${name}:counter`);
  return { ...counts, counter };
}

const titled = (kinds: readonly Kind[]): [string, Kind][] => kinds.map((kind) => [kind.what, kind]);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Everybody has done his part, and each language at least a quarter of its even share. */
function expectShares({ java, node }: Run, entries: number): void {
  const [ofJava, ofNode] = [sum(java), sum(node)];
  const shares = `Java ${java.join(' + ')}, Node ${node.join(' + ')}`;
  expect(ofJava + ofNode).toBe(entries);
  expect(Math.min(...java, ...node), shares).toBeGreaterThan(0);
  expect(Math.min(ofJava, ofNode), shares).toBeGreaterThanOrEqual(entries / 2 / 4);
}

describe.each(
  titled([lock, fairLock, fencedLock, strictLock, directLock, strictFencedLock, handedFairLock]),
)('a %s', (_, kind) => {
  test('never has two inside, loses no update, and neither language starves', async (context) => {
    const world = await open(context);

    const done = await run(world, kind);
    const { counter, entries, ...counts } = await outcome(world);

    expectExclusion(counts);
    expect(counts).toMatchObject({ alone: 0, sharedEntries: 0 });
    expect(entries).toBeGreaterThanOrEqual(kind.total);
    promised('no update is lost', () => expect(counter).toBe(entries));
    // Each grant of a fenced lock has a larger token than all before.
    expect(counts).toMatchObject({
      tokens: kind.what.startsWith('fenced') ? entries : 0,
      oldTokens: 0,
    });
    // Who was not told looks by itself after 5 s, or later.
    expect(counts.gapMs).toBeLessThan(4_000);
    expectShares(done, entries);
  });
});

describe.each(titled([semaphore, expirableSemaphore]))('a %s of three', (_, kind) => {
  test('has three inside and never more, and neither language starves', async (context) => {
    const world = await open(context);

    const done = await run(world, kind);
    const { entries, ...counts } = await outcome(world);
    const left = await world.raw.get(world.name);

    expectExclusion(counts);
    expect(counts).toMatchObject({ shared: 0, aloneEntries: 0, peak: PERMITS });
    expect(entries).toBeGreaterThanOrEqual(kind.total);
    promised('no permit is lost', () => expect(left).toBe(String(PERMITS)));
    expect(counts.gapMs).toBeLessThan(4_000);
    expectShares(done, entries);
  });
});

describe('a read-write lock', () => {
  test('has readers of both at once and writers alone, and neither language starves', async (context) => {
    const world = await open(context);

    const done = await run(world, readWriteLock);
    const { counter, entries, ...counts } = await outcome(world);

    // Each language has one reader: both were inside at once.
    expectExclusion(counts);
    expect(counts).toMatchObject({ shared: 0, alone: 0, peak: 2 });
    expect(entries).toBeGreaterThanOrEqual(readWriteLock.total);
    promised('no update is lost', () => expect(counter).toBe(counts.aloneEntries));
    expect(counts.gapMs).toBeLessThan(4_000);
    expectShares(done, entries);
  });
});
