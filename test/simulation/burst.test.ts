// A server that answers so many calls a second, and gets more of them at once: what gets through, and what
// that takes, in virtual time.

import { expect, test, vi } from 'vitest';
import type { Client } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { Random } from '../../src/testing/random.js';
import { again, steadyWorld } from './steady.js';

/** More seeds, and more calls, are for the search. */
const SEEDS = Number(process.env['REDLATCH_SIMULATION_SEEDS'] ?? 30) / 5;

/** More than a slow server answers within many leases. */
const CALLS = SEEDS > 6 ? 20_000 : 5_000;

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
    commandTimeoutMs: 5_000,
    latencyMinMs: latencyMs,
    latencyMaxMs: latencyMs,
    handOffs: ['direct'],
  });
  const { client } = world.clients[0]!;
  const names = Array.from({ length: calls }, (_, i) => `free-${i}`);
  await finish(Promise.all(names.map(async (name) => await kind.make?.(client, name))));
  // What the window has learnt of a fast server is over.
  await world.timeline.run(world.timeline.now + 61_000);
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

test.each([15, 300])(
  'a burst over %i ms takes little more than the way, also behind a connection to a server nearby',
  async (latencyMs) => {
    const { world, setLatency, finish } = await steadyWorld(lua, {
      clients: 1,
      leaseMs: 30_000,
      commandTimeoutMs: 5_000,
    });
    const { client } = world.clients[0]!;
    await finish(client.getLock('nearby').using(() => {}));
    setLatency(latencyMs);
    for (const link of world.network.open()) {
      link.cut();
    }
    await finish(client.getLock('far').using(() => {}));
    const from = world.timeline.now;
    const names = Array.from({ length: 3_000 }, (_, i) => `free-${i}`);

    await finish(Promise.all(names.map(async (name) => await client.getLock(name).acquire())));

    // A thousand, then two thousand more.
    expect(world.timeline.now - from).toBeLessThan(2 * 2 * latencyMs + 20);
    await finish(client.close());
  },
);

test.each([1, 30, 80])(
  'of 500 calls that wait for 150 ms at most each gets in, over a way of %i ms there and back',
  async (roundTripMs) => {
    const { world, finish } = await steadyWorld(lua, {
      clients: 1,
      leaseMs: 30_000,
      latencyMinMs: roundTripMs / 2,
      latencyMaxMs: roundTripMs / 2,
    });
    const { client } = world.clients[0]!;
    for (let i = 0; i < 4; i += 1) {
      const names = Array.from({ length: 500 }, (_, each) => `free-${i}-${each}`);
      const holds = await finish(
        Promise.all(
          names.map(async (name) => await client.getLock(name).tryAcquire({ waitMs: 150 })),
        ),
      );
      expect(holds.filter((hold) => hold === null)).toEqual([]);
      await finish(Promise.all(holds.map(async (hold) => await hold?.release())));
      await world.timeline.run(world.timeline.now + 1_200);
    }
    await finish(client.close());
  },
);

test.each([
  { who: 'a client that has been connected for a while', others: 0 },
  { who: 'a client that has just connected to a server which is busy with others', others: 100 },
])('thousands of calls at once cost no renewed hold, of $who', async ({ others }) => {
  const { world, ran, finish } = await steadyWorld(lua, { clients: 2, leaseMs: 3_000 });
  const [{ client, process }, { client: other }] = [world.clients[0]!, world.clients[1]!];
  const renewed = await finish(
    Promise.all(
      Array.from({ length: 100 }, async (_, i) => await client.getLock(`held-${i}`).acquire()),
    ),
  );
  const lost: string[] = [];
  client.on('lost', ({ resource }) => lost.push(resource));
  world.host.perSecond = 1_000;
  const over = new AbortController();
  for (let i = 0; i < others; i += 1) {
    void again(other, `other-${i}`, over.signal);
  }
  await world.timeline.run(world.timeline.now + 1_000);
  if (others > 0) {
    for (const link of world.network.open().filter((each) => each.process === process)) {
      link.cut();
    }
  }
  const from = world.timeline.now;

  const names = Array.from({ length: CALLS }, (_, i) => `free-${i}`);
  const held = await finish(
    Promise.all(names.map(async (name) => await client.getLock(name).acquire())),
  );
  over.abort();

  const asks = ran.filter(
    ({ at, name, argv }) =>
      at >= from && name === 'lock/acquire' && argv.some((each) => each.includes('free-')),
  );
  expect(asks.length).toBeLessThanOrEqual(1.1 * CALLS);
  expect(lost).toEqual([]);
  expect([...renewed, ...held].filter(({ isHeld }) => !isHeld)).toEqual([]);
  world.host.perSecond = 0;
  await finish(client.close());
  await finish(other.close());
});

test('a burst on any server is granted', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new Random(seed);
    const leaseMs = [1_000, 3_000, 30_000][seed % 3]!;
    const terms = {
      calls: random.int(50, 1_500),
      leaseMs,
      // A thousand calls are answered within the time that a second connection has to be made.
      perSecond: random.int(200, 2_000),
      latencyMs: random.pick([0.5, 5, 20]),
    };
    const [name, kind] = random.pick(Object.entries(kinds));
    const what = `seed ${seed}: ${name}, ${JSON.stringify(terms)}`;
    const outcome = await burst(kind, terms).catch((error: unknown) => {
      throw new Error(what, { cause: error });
    });
    const { tookMs, scripts, lost, errors } = outcome;
    expect({ lost, errors }, what).toEqual({
      lost: 0,
      errors: [],
    });
    expect(scripts / terms.calls, `seed ${seed}, ${tookMs} ms`).toBeLessThan(1.5);
  }
});
