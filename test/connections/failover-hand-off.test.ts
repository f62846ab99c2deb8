// A master dies while clients wait in the lines of locks. The lines, and who has the locks, are on its
// replica, which hands them on.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSentinels, type Sentinels } from '../../scripts/redis/sentinel.mjs';
import type { Client, ClientOptions, Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import type { ExclusiveLock } from '../support/kinds/kind.js';
import { fairLock, fencedLock, lock, writeLock } from '../support/kinds/locks.js';
import { randomName, rawClient } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const KINDS = [lock, fencedLock, fairLock, writeLock];
const MASTERS = 3;

const world = await clusterWorld({ masters: MASTERS, replicas: 1, nodeTimeoutMs: 1_000 });
let group: Sentinels;

beforeAll(async () => {
  group = await startSentinels({ replicas: 1, sentinels: 1 });
});

afterAll(async () => {
  await group.stop();
});

interface Scene {
  readonly kind: ExclusiveLock;
  readonly name: string;
  readonly held: Hold;
  /** In the order in which they wait, each in a client of its own. */
  readonly waiting: readonly Promise<Hold>[];
  /** Of these clients. */
  readonly ids: readonly string[];
}

/** The waiters of which the server knows that their clients listen. */
async function tellable(raw: Redis, name: string): Promise<number> {
  const tickets = await raw.hvals(`redlatch_tickets:{${name}}`);
  return tickets.filter((ticket) => / 1(?: [01])?$/u.test(ticket)).length;
}

/** A lock that one client has, and two others wait for. */
async function scene(
  kind: ExclusiveLock,
  name: string,
  raw: Redis,
  redis: ClientOptions['redis'],
): Promise<Scene> {
  const clients = [0, 1, 2].map(() =>
    openClient({ redis, handOff: 'strict', commandTimeoutMs: 15_000 }),
  );
  const [a, b, c] = clients as [Client, Client, Client];
  const held = await kind.get(a, name).acquire({ leaseMs: 60_000 });
  const waiting: Promise<Hold>[] = [];
  for (const client of [b, c]) {
    const next = kind.get(client, name).acquire({ waitMs: 45_000 });
    next.catch(() => undefined);
    waiting.push(next);
    await eventually(async () => (await tellable(raw, name)) === waiting.length);
  }
  return { kind, name, held, waiting, ids: [b.id, c.id] };
}

/** The clients in the line of a lock, the first one first: of an exclusive lock, a fair lock or a writer. */
async function lineOf(raw: Redis, name: string): Promise<string[]> {
  const lists = [`redlatch_line:{${name}}`, `redisson_lock_queue:{${name}}`];
  const entries = [
    ...(await Promise.all(lists.map(async (key) => await raw.lrange(key, 0, -1)))),
    await raw.zrange(`redlatch_writers:{${name}}`, '0', '-1'),
  ];
  return entries.flat().map((entry) => entry.slice(0, 36));
}

/** What the replica has is what the master has. */
async function replicated(master: Redis): Promise<void> {
  expect(Number(await master.call('WAIT', 1, 5_000))).toBe(1);
}

/** Each has the lock alone, and gives it on. Returns who had it, in this order. */
async function turns({ kind, name, held, waiting }: Scene, next: Redis): Promise<string[]> {
  const order: string[] = [];
  let inside = 0;
  const taking = waiting.map(async (promise) => {
    const hold = await promise;
    inside += 1;
    expect([inside, hold.isHeld]).toEqual([1, true]);
    expect(await next.hget(name, kind.field(hold.holderId))).toBe('1');
    order.push(hold.holderId.slice(0, 36));
    inside -= 1;
    await hold.release();
  });
  await held.release();
  await Promise.all(taking);
  expect(await next.exists(name)).toBe(0);
  return order;
}

/** Kills a master while two waiters stand in each line: half of the locks are released at once, the
 * others when all clients listen to the new master. */
async function failOver(
  { former, next, kill }: { former: Redis; next: Redis; kill: () => void },
  redis: ClientOptions['redis'],
  nameOf: () => string,
  countOf: (id: string, name: string) => readonly [command: string, channel: string],
): Promise<void> {
  const [hasty, patient]: [Scene[], Scene[]] = [[], []];
  for (const kind of KINDS) {
    hasty.push(await scene(kind, nameOf(), former, redis));
    patient.push(await scene(kind, nameOf(), former, redis));
  }
  await replicated(former);

  kill();
  const served = hasty.map(async (each) => await turns(each, next));
  await eventually(async () => expect(await next.call('ROLE')).toContain('master'), {
    withinMs: 20_000,
  });
  const listens = async (id: string, name: string): Promise<boolean> => {
    const [command, channel] = countOf(id, name);
    return ((await next.call('PUBSUB', command, channel)) as unknown[])[1] === 1;
  };
  const waiters = patient.flatMap(({ name, ids }) => ids.map((id) => [id, name] as const));
  await eventually(
    async () => {
      const there = await Promise.all(waiters.map(async ([id, name]) => await listens(id, name)));
      return there.every(Boolean);
    },
    { withinMs: 20_000 },
  );

  for (const each of patient) {
    await eventually(async () => expect(await tellable(next, each.name)).toBe(2));
    // A client that listens is served in the order of the line. One that was not heard of during a long
    // outage may have entered it anew.
    const line = await lineOf(next, each.name);
    expect(line.toSorted()).toEqual(each.ids.toSorted());
    expect(await turns(each, next), each.kind.what).toEqual(line);
  }
  for (const [i, { ids, kind }] of hasty.entries()) {
    // Whoever does not listen yet is passed over, and has its turn all the same.
    expect((await served[i]!).toSorted(), kind.what).toEqual(ids.toSorted());
  }
}

test('the new master of a group with sentinels hands locks on', async () => {
  const redis = {
    name: group.name,
    sentinels: group.sentinels.map(({ host, port }) => ({ host, port })),
  };
  const [former, next] = [rawClient(group.master.url), rawClient(group.replicas[0]?.url)];
  const kill = (): void => {
    group.master.signal('SIGKILL');
  };

  await failOver(
    { former, next, kill },
    redis,
    () => randomName('failover'),
    (id) => ['NUMSUB', `redlatch:${id}`],
  );
});

test('the new master of a slot hands locks on', async (context) => {
  const [former, next] = [world.node(0), world.node(MASTERS)];
  const template = world.template();
  context.onTestFinished(() => template.disconnect());
  const kill = (): void => {
    world.servers[0]?.signal('SIGKILL');
  };

  await failOver(
    { former, next, kill },
    template,
    () => world.nameOn(0),
    (id, name) => ['SHARDNUMSUB', `redlatch:${id}:{${name}}`],
  );
});
