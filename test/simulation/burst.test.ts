// A server that answers so many calls a second, and gets more of them at once: what gets through, and what
// that takes, in virtual time.

import { expect, test, vi } from 'vitest';
import type { Client } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { Random } from '../../src/testing/random.js';
import { steadyWorld } from './steady.js';

const lua = await LuaEngine.load();

// In virtual time a failure is never bad luck: no test ends because the machine is busy.
vi.setConfig({ testTimeout: 180_000 });

interface Held {
  readonly isHeld?: boolean;
  release: () => Promise<unknown>;
}

interface Kind {
  /** Before the burst. */
  readonly make?: (client: Client, name: string) => Promise<unknown>;
  readonly acquire: (client: Client, name: string) => Promise<Held>;
}

const kinds: Readonly<Record<string, Kind>> = {
  lock: { acquire: async (client, name) => await client.getLock(name).acquire() },
  'fenced lock': { acquire: async (client, name) => await client.getFencedLock(name).acquire() },
  'fair lock': { acquire: async (client, name) => await client.getFairLock(name).acquire() },
  'read lock': {
    acquire: async (client, name) => await client.getReadWriteLock(name).readLock.acquire(),
  },
  'write lock': {
    acquire: async (client, name) => await client.getReadWriteLock(name).writeLock.acquire(),
  },
  semaphore: {
    make: async (client, name) => await client.getSemaphore(name).trySetPermits(1),
    acquire: async (client, name) => await client.getSemaphore(name).acquire(),
  },
  'permit-expirable semaphore': {
    make: async (client, name) => await client.getPermitExpirableSemaphore(name).trySetPermits(1),
    acquire: async (client, name) => await client.getPermitExpirableSemaphore(name).acquire(),
  },
};

interface Burst {
  readonly calls: number;
  /** Commands that the server carries out in a second. */
  readonly perSecond: number;
  readonly leaseMs: number;
  readonly latencyMs: number;
}

interface Outcome {
  /** Until all were granted. */
  readonly tookMs: number;
  readonly scripts: number;
  readonly lost: number;
  readonly errors: readonly string[];
}

async function burst(kind: Kind, terms: Burst): Promise<Outcome> {
  const { calls, perSecond, leaseMs, latencyMs } = terms;
  const { world, scriptsSince, finish } = await steadyWorld(lua, {
    clients: 1,
    leaseMs,
    latencyMinMs: latencyMs,
    latencyMaxMs: latencyMs,
    handOffs: ['direct'],
  });
  const { client } = world.clients[0]!;
  const names = Array.from({ length: calls }, (_, i) => `free-${i}`);
  await finish(Promise.all(names.map(async (name) => await kind.make?.(client, name))));
  // What the window has learnt of a fast server is over.
  await world.timeline.run(world.timeline.now + leaseMs);
  const errors: string[] = [];
  let lost = 0;
  client.on('error', ({ error }) => errors.push(error.message));
  client.on('lost', () => (lost += 1));
  const from = world.timeline.now;
  world.host.perSecond = perSecond;

  const held = await finish(
    Promise.all(names.map(async (name) => await kind.acquire(client, name))),
  );

  const tookMs = world.timeline.now - from;
  const scripts = scriptsSince(from).length;
  // Whoever was granted something early still has it after the last one.
  lost += held.filter(({ isHeld }) => isHeld === false).length;
  world.host.perSecond = 0;
  await finish(Promise.all(held.map(async (each) => await each.release())));
  await finish(client.close());
  expect(world.recorder.surprises).toEqual([]);
  return { tookMs, scripts, lost, errors };
}

function expectThrough(outcome: Outcome, { calls, perSecond, latencyMs }: Burst): void {
  const { tookMs, scripts, lost, errors } = outcome;
  expect({ lost, errors }).toEqual({ lost: 0, errors: [] });
  expect(scripts / calls).toBeLessThan(1.5);
  // The window opens in a few round trips; the renewals of what is held take their part.
  expect(tookMs).toBeLessThan(1.5 * ((calls / perSecond) * 1_000) + 30 * latencyMs + 100);
}

test.each(Object.entries(kinds))('a burst on a slow server is granted: %s', async (_, kind) => {
  const terms = { calls: 1_200, perSecond: 200, leaseMs: 3_000, latencyMs: 0.5 };
  expectThrough(await burst(kind, terms), terms);
});

test('what gets through does not fall as the burst grows', async () => {
  const rates: number[] = [];
  for (const calls of [200, 1_000, 5_000]) {
    const terms = { calls, perSecond: 725, leaseMs: 3_000, latencyMs: 0.5 };
    const outcome = await burst(kinds['lock']!, terms);
    expectThrough(outcome, terms);
    rates.push((calls / outcome.tookMs) * 1_000);
  }
  expect(Math.min(...rates) / Math.max(...rates)).toBeGreaterThan(0.7);
});

/** Others are for the long checks. */
const SEEDS = Number(process.env['REDLATCH_SIMULATION_SEEDS'] ?? 30) / 5;

test('a burst on any server is granted', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new Random(seed);
    const leaseMs = random.pick([1_000, 3_000, 30_000]);
    const terms = {
      calls: random.int(50, 1_500),
      leaseMs,
      // The fewest calls under way have to fit into a lease.
      perSecond: random.int(100_000 / Math.min(leaseMs, 3_000), 2_000),
      latencyMs: random.pick([0.5, 5, 20]),
    };
    const [name, kind] = random.pick(Object.entries(kinds));
    const outcome = await burst(kind, terms);
    const { tookMs, scripts, lost, errors } = outcome;
    expect({ lost, errors }, `seed ${seed}: ${name}, ${JSON.stringify(terms)}`).toEqual({
      lost: 0,
      errors: [],
    });
    expect(scripts / terms.calls, `seed ${seed}, ${tookMs} ms`).toBeLessThan(1.5);
  }
});
