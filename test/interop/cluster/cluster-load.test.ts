// Scenario 2 on a cluster: two Java threads and two Node processes in and out of objects on every
// master, with sharded pub/sub and with it switched off on both sides.

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Client, Lock, PermitExpirableSemaphore, Semaphore } from '../../../src/index.js';
import { countsOf, expectExclusion, heard, startCrowd, tell } from '../../process/crowd.js';
import { ENTER, LEAVE } from '../../process/workers/gauge.mjs';
import { promised } from '../../support/broken-promise.js';
import { eventually } from '../../support/eventually.js';
import { interopCluster, MASTERS, type Mode, type Sides } from './cluster.js';

/** What one of the four does, and whether others may do it meanwhile. */
type Role = readonly [kind: string, side: 'alone' | 'shared'];

interface Kind {
  readonly what: string;
  /** Of the first and the second one of each language. */
  readonly roles: readonly [Role, Role];
  /** How many may share it. */
  readonly limit: number;
  /** Node's go on until Java's are done. */
  readonly goesOn?: boolean;
  /** Keeps everybody out until the returned function is called. */
  close(client: Client, name: string): Promise<() => Promise<unknown>>;
}

const SCRIPT = fileURLToPath(new URL('../load/workers/sections.mjs', import.meta.url));
const TOTAL = 500;
const PERMITS = 3;

/** An eighth of the even share of a language: with so few sections chance has its part. That it is a
 * quarter over thousands is asserted in test/interop/load. */
const SHARE_MIN = 1 / 16;

const cluster = await interopCluster();

/** It has no permits. */
async function unset(semaphore: Semaphore | PermitExpirableSemaphore): ReturnType<Kind['close']> {
  expect(await semaphore.availablePermits()).toBe(0);
  return async () => await semaphore.trySetPermits(PERMITS);
}

/** Somebody has the lock. */
const taken =
  (lock: (client: Client, name: string) => Lock): Kind['close'] =>
  async (client, name) => {
    const hold = await lock(client, name).acquire();
    return async () => await hold.release();
  };

const both = (role: Role): Kind['roles'] => [role, role];

const kinds: readonly Kind[] = [
  {
    what: 'a lock',
    roles: both(['lock', 'alone']),
    limit: 1,
    close: taken((client, name) => client.getLock(name)),
  },
  {
    what: 'a fair lock',
    roles: both(['fair', 'alone']),
    limit: 1,
    close: taken((client, name) => client.getFairLock(name)),
  },
  {
    what: 'a fenced lock',
    roles: both(['fenced', 'alone']),
    limit: 1,
    close: taken((client, name) => client.getFencedLock(name)),
  },
  {
    what: 'a read-write lock',
    roles: [
      ['read', 'shared'],
      ['write', 'alone'],
    ],
    limit: 2,
    // A Java thread that misses a writer's end (R2) sleeps until the next message: somebody has to
    // bring one.
    goesOn: true,
    close: taken((client, name) => client.getReadWriteLock(name).writeLock),
  },
  {
    what: 'a semaphore',
    roles: both(['semaphore', 'shared']),
    limit: PERMITS,
    close: async (client, name) => await unset(client.getSemaphore(name)),
  },
  {
    what: 'a permit-expirable semaphore',
    roles: both(['permits', 'shared']),
    limit: PERMITS,
    close: async (client, name) => await unset(client.getPermitExpirableSemaphore(name)),
  },
];

const runs = (['auto', 'off'] as const).flatMap((mode, shift) =>
  kinds.map((kind, i) => ({ mode, what: kind.what, kind, master: (i + shift) % MASTERS.length })),
);

/** How many connections listen to an object, those aside that are told of their grants. */
async function listeners(master: number, name: string): Promise<number> {
  const raw = cluster.master(master);
  const counts = await Promise.all(
    ['', 'SHARD'].map(async (family) => {
      const pattern = `*${name}*`;
      const all = (await raw.call('PUBSUB', `${family}CHANNELS`, pattern)) as string[];
      const channels = all.filter((channel) => !channel.startsWith('redlatch:'));
      const answer = (await raw.call('PUBSUB', `${family}NUMSUB`, ...channels)) as unknown[];
      return answer.filter((_, i) => i % 2 === 1).map(Number);
    }),
  );
  return counts.flat().reduce((sum, each) => sum + each, 0);
}

const sum = (all: readonly { sections: number }[]): number =>
  all.reduce((total, { sections }) => total + sections, 0);

/** Lets all four in at once, again and again until so many were inside. */
async function run(
  { java, node }: Sides,
  { mode, kind, master }: { mode: Mode; kind: Kind; master: number },
  name: string,
): Promise<{ java: number; node: number }> {
  const { roles, limit } = kind;
  const letIn = await kind.close(node, name);
  const crowd = await startCrowd(SCRIPT, 2, (i) => {
    const [role = '', side = ''] = roles[i] ?? [];
    return [cluster.urls.join(','), name, role, side, TOTAL, limit, mode];
  });
  const threads = roles.map(async ([role, side], i) => {
    const args = { enter: ENTER, leave: LEAVE, gauge: `${name}:gauge`, side, limit, total: TOTAL };
    const counted = side === 'alone' ? { ...args, counter: `${name}:counter` } : args;
    return await java.thread(`${i}`).call<{ sections: number }>(`sections.${role}`, name, counted);
  });
  tell(crowd, { type: 'go', goesOn: kind.goesOn });
  const raw = cluster.master(master);
  const all = async (): Promise<boolean> => {
    switch (roles[0][0]) {
      case 'fair':
        return (await raw.llen(`redisson_lock_queue:${name}`)) === 4;
      case 'lock':
      case 'fenced':
        return (await raw.llen(`redlatch_line:${name}`)) === 2 && (await java.parked()) === 2;
      case 'read': {
        const waiting = await Promise.all(
          ['writers', 'waiting'].map(async (what) => await raw.zcard(`redlatch_${what}:${name}`)),
        );
        return waiting.every((count) => count === 1) && (await java.parked()) === 2;
      }
      default:
        // Java's two threads share a subscription.
        return (await listeners(master, name)) === 3;
    }
  };
  await eventually(all, { withinMs: 30_000 });
  await letIn();
  const ofJava = await Promise.all(threads);
  if (kind.goesOn === true) {
    tell(crowd, { type: 'stop' });
  }
  const ofNode = await heard<{ readonly type: string; sections: number }>(crowd, 'done', {
    withinMs: 50_000,
  });
  return { java: sum(ofJava), node: sum(ofNode) };
}

describe.each(runs)('$what on master $master, told $mode', ({ mode, kind, master }) => {
  test('has nobody inside who should not be, and shuts neither language out', async (context) => {
    const sides = await cluster.open(context, mode);
    // All that belongs to it is in the slot of the tag.
    const name = `{${cluster.nameOn(master)}}:object`;
    const raw = cluster.master(master);
    context.onTestFinished(async () => {
      const made = ['timeout', 'gauge', 'counter'].map((what) => `${name}:${what}`);
      await raw.del(name, ...made, `redisson_lock_token:${name}`);
    });

    const sections = await run(sides, { mode, kind, master }, name);

    const { entries, gapMs, ...counts } = await countsOf(raw, `${name}:gauge`);
    const isExclusive = kind.roles.every(([, side]) => side === 'alone');
    const peak = isExclusive ? 0 : kind.limit;
    expectExclusion(counts);
    expect(counts).toMatchObject({ shared: 0, alone: 0, peak });
    expect(sections.java + sections.node).toBe(entries);
    const counter = Number(await raw.get(`${name}:counter`));
    promised('no update is lost', () => expect(counter).toBe(counts.aloneEntries));
    // Who was not told looks by itself after 5 s, or later.
    expect(gapMs).toBeLessThan(4_000);
    expect(Math.min(sections.java, sections.node)).toBeGreaterThanOrEqual(entries * SHARE_MIN);
  });
});
