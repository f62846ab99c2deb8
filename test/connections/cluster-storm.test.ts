// All kinds of objects in a cluster whose slots move and whose masters change, for as long as
// REDLATCH_TEST_STORM_MS says: nobody is in beside somebody else, no permit is lost, everybody gets in.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ClosedError, CoordinationError, type Client } from '../../src/index.js';
import { Random } from '../../src/testing/random.js';
import { eventually } from '../support/eventually.js';
import { randomName } from '../support/redis.js';
import { seed } from '../support/seed.js';
import { ClusterOperator } from './cluster-operator.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const STORM_MS = Number(process.env['REDLATCH_TEST_STORM_MS'] ?? 2_000);
const CLIENTS = 4;
/** Masters change when the operator says so: not since a machine that is busy has kept one from answering. */
const NODE_TIMEOUT_MS = 5_000;
const PERMITS = 2;

const world = await clusterWorld({ masters: 3, replicas: 3, nodeTimeoutMs: NODE_TIMEOUT_MS });
const operator = new ClusterOperator([0, 1, 2, 3, 4, 5].map((index) => world.node(index)));

/** What somebody has who is in. */
interface Grant {
  readonly isHeld: boolean;
  readonly token?: bigint;
  release(): Promise<unknown>;
}

/** Those who are in at one name at the same time. */
interface Entry {
  readonly grant: Grant;
  readonly isReader: boolean;
}

/** One way to get in. Readers and writers of one name are two. */
interface Way {
  readonly what: string;
  readonly name: string;
  readonly isReader?: boolean;
  /** So many may be in, readers apart. */
  readonly most: number;
  enter(client: Client): Promise<Grant>;
}

/** Permits have no lease: they are held until they are released. */
const always = (release: () => Promise<unknown>): Grant => ({ isHeld: true, release });

function ways(): Way[] {
  const names = Array.from({ length: 7 }, () => randomName('storm'));
  const [lock = '', fair = '', fenced = '', both = '', permits = '', leased = ''] = names;
  return [
    { what: 'lock', name: lock, most: 1, enter: (client) => client.getLock(lock).acquire() },
    {
      what: 'fair lock',
      name: fair,
      most: 1,
      enter: (client) => client.getFairLock(fair).acquire(),
    },
    {
      what: 'fenced lock',
      name: fenced,
      most: 1,
      enter: (client) => client.getFencedLock(fenced).acquire(),
    },
    {
      what: 'read lock',
      name: both,
      most: 1,
      isReader: true,
      enter: (client) => client.getReadWriteLock(both).readLock.acquire(),
    },
    {
      what: 'write lock',
      name: both,
      most: 1,
      enter: (client) => client.getReadWriteLock(both).writeLock.acquire(),
    },
    {
      what: 'semaphore',
      name: permits,
      most: PERMITS,
      enter: async (client) => {
        const one = await client.getSemaphore(permits, { permits: PERMITS }).acquire();
        return always(async () => await one.release());
      },
    },
    {
      what: 'permit-expirable semaphore',
      name: leased,
      most: PERMITS,
      enter: (client) => client.getPermitExpirableSemaphore(leased, { permits: PERMITS }).acquire(),
    },
  ];
}

class Storm {
  readonly ways: Way[];
  readonly clients: Client[] = Array.from({ length: CLIENTS }, () =>
    openClient({ redis: world.template(), leaseMs: 3_000, commandTimeoutMs: 10_000 }),
  );
  /** What must not be. */
  readonly faults: string[] = [];
  /** Grants by way and client. */
  readonly grants = new Map<string, number>();
  /** Errors that callers got, by code. */
  readonly errors = new Map<string, number>();
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #tokens = new Map<string, bigint>();
  isOver = false;

  constructor(all: Way[] = ways()) {
    this.ways = all;
  }

  /** Everybody goes in again and again, by each way. */
  run(): Promise<unknown> {
    return Promise.all(
      this.ways.flatMap((way) =>
        this.clients.map(async (client, i) => {
          const loop = `${way.what} ${i}`;
          this.grants.set(loop, 0);
          while (!this.isOver) {
            await this.#turn(way, client, loop);
          }
        }),
      ),
    );
  }

  async #turn(way: Way, client: Client, loop: string): Promise<void> {
    try {
      const grant = await way.enter(client);
      this.grants.set(loop, (this.grants.get(loop) ?? 0) + 1);
      await this.#inside(way, grant);
      await grant.release();
    } catch (error) {
      if (!(error instanceof CoordinationError)) {
        throw error;
      }
      this.errors.set(error.code, (this.errors.get(error.code) ?? 0) + 1);
      this.isOver ||= error instanceof ClosedError;
    }
  }

  async #inside({ what, name, most, isReader = false }: Way, grant: Grant): Promise<void> {
    const entries = this.#entries.get(name) ?? new Set();
    this.#entries.set(name, entries);
    const proven = [...entries].filter((each) => each.grant.isHeld);
    const others = isReader ? proven.filter((each) => !each.isReader) : proven;
    if (grant.isHeld && others.length >= most) {
      this.faults.push(`${what}: ${others.length} others are in`);
    }
    if (grant.token !== undefined) {
      if (grant.token <= (this.#tokens.get(name) ?? 0n)) {
        this.faults.push(`${what}: token ${grant.token} is not larger than the one before`);
      }
      this.#tokens.set(name, grant.token);
    }
    const entry = { grant, isReader };
    entries.add(entry);
    await delay(1);
    entries.delete(entry);
  }
}

/** Everybody gets in again after the last event. */
async function everybodyIn({ grants }: Storm): Promise<void> {
  const before = new Map(grants);
  await eventually(
    () => {
      const stuck = [...grants].filter(([loop, count]) => count === before.get(loop));
      expect(stuck.map(([loop]) => loop)).toEqual([]);
      return true;
    },
    { withinMs: 20_000 },
  );
}

/** Nobody has anything: all permits are there. */
async function allPermits({ clients, ways: all }: Storm): Promise<number[]> {
  const [client] = clients;
  const nameOf = (what: string): string => all.find((way) => way.what === what)?.name ?? '';
  return [
    await client!.getSemaphore(nameOf('semaphore')).availablePermits(),
    await client!
      .getPermitExpirableSemaphore(nameOf('permit-expirable semaphore'))
      .availablePermits(),
  ];
}

test('slots move and masters change by agreement', { timeout: STORM_MS + 60_000 }, async () => {
  const random = new Random(seed);
  process.stderr.write(`storm seed: ${seed}\n`);
  const storm = new Storm();
  const running = storm.run();
  await operator.settled();
  await everybodyIn(storm);

  const until = performance.now() + STORM_MS;
  while (performance.now() < until) {
    if (random.chance(0.2)) {
      await operator.failOver(random, []);
    } else {
      await operator.reshard(storm.ways[random.int(0, storm.ways.length - 1)]?.name ?? '', random);
    }
  }
  await everybodyIn(storm);
  storm.isOver = true;
  await running;

  expect(storm.faults).toEqual([]);
  expect([...storm.errors]).toEqual([]);
  expect(await allPermits(storm)).toEqual([PERMITS, PERMITS]);
});

test('masters change by force', { timeout: STORM_MS + 60_000 }, async () => {
  const random = new Random(seed);
  // A failover may lose the release of permits that have no lease: nothing gives those back.
  const storm = new Storm(ways().filter(({ what }) => what !== 'semaphore'));
  const running = storm.run();
  await operator.settled();
  await everybodyIn(storm);

  const until = performance.now() + STORM_MS / 2;
  while (performance.now() < until) {
    await operator.failOver(random, ['TAKEOVER']);
  }
  await everybodyIn(storm);
  storm.isOver = true;
  await running;

  // Writes that a failover loses may let two in, and a lost lease is reported: nothing else is.
  expect([...storm.errors.keys()].filter((code) => code !== 'ERR_LEASE_LOST')).toEqual([]);
  const [client] = storm.clients;
  const leased = storm.ways.find(({ what }) => what === 'permit-expirable semaphore');
  const permits = client!.getPermitExpirableSemaphore(leased!.name);
  await eventually(async () => expect(await permits.availablePermits()).toBe(PERMITS), {
    withinMs: 10_000,
  });
});
