// Scenario 6: how Java's changes of the scores of a fair lock's line leave Node waiters alone, and
// Node's grants the scores.

import { expect, test, vi } from 'vitest';
import { chance } from '../../process/random.js';
import { eventually } from '../../support/eventually.js';
import { fairHistories, overtakings } from './fair-history.js';
import { MixedLine, type Place } from './fair-line.js';
import type { JavaClient } from '../support/java.js';
import { startMonitor } from '../support/monitor.js';
import { interopWorlds, type World } from '../support/world.js';

// Ten thousand grants take their time where much else runs.
vi.setConfig({ testTimeout: 180_000 });
const open = interopWorlds('fair-scores');

/** What Redisson gives a waiter, and so takes from all others when it gets in. */
const PATIENCE_MS = 300_000;
const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Each turn has a holder id of its own, by which it is looked for. */
const STRICT = { handOff: 'strict' } as const;

/** Waiters of Java that do not get in: their time runs out, or they are interrupted. */
async function losers(line: MixedLine, java: JavaClient, round: number): Promise<Place[]> {
  const places: Place[] = [];
  for (const waitMs of [300, 1_000]) {
    const thread = java.thread(`impatient-${round}-${waitMs}`);
    places.push(await line.join(async () => await line.java(thread, { waitMs })));
  }
  const interrupted = java.thread(`interrupted-${round}`);
  const place = await line.join(async () => await line.java(interrupted, { waitMs: 2_000 }));
  await interrupted.interrupt();
  await expect(place.over).rejects.toMatchObject({ type: 'InterruptedException' });
  await Promise.all(places.map(async ({ over }) => expect(await over).toBe(false)));
  return [...places, place];
}

/** A Java thread queues for at most so long, and again, until it is told to stop. */
function comeAndGo(line: MixedLine, java: JavaClient, waitMs: number): () => Promise<void> {
  const state = { isOver: false };
  const thread = java.thread(`restless-${waitMs}`);
  const loop = async (): Promise<void> => {
    while (!state.isOver) {
      await line.java(thread, { waitMs });
    }
  };
  const looping = loop();
  return async () => {
    state.isOver = true;
    await looping;
  };
}

/** Java waiters of every patience, and Node waiters between them; answers those of Node. */
async function mixedPlaces(world: World, line: MixedLine, brief: JavaClient): Promise<Place[]> {
  const { node, java } = world;
  const { shuffled } = chance('fair scores');
  const other = world.open(STRICT);
  const ofNode: Place[] = [];
  const nodeWaits = [node, other, node, other].map((client) => async () => {
    ofNode.push(await line.join(async () => await line.node(client)));
  });
  const javaWaits = [
    async () => await line.java(java.thread('default')),
    async () => await line.java(java.thread('async'), { async: true }),
    async () => await line.java(java.thread('minute'), { waitMs: 60_000 }),
    async () => await line.java(brief.thread('brief'), {}),
  ].map((wait) => async () => {
    await line.join(wait);
  });
  for (const enter of shuffled([...nodeWaits, ...javaWaits])) {
    await enter();
  }
  return ofNode;
}

test('waiters of Java come, give up, are interrupted and get in, and every Node waiter keeps its place', async (context) => {
  const world = await open(context, { node: STRICT });
  const { name, java } = world;
  const line = new MixedLine(world, context);
  const brief = await world.openJava({ fairWaitMs: 20_000 });
  const calls = await fairHistories(await startMonitor())(name);
  const holder = java.thread('holder');
  await holder.call('fair.lock', name);
  const head = await line.join(async () => await line.node(world.open(STRICT)));
  const gone = await losers(line, java, 1);
  const places = await mixedPlaces(world, line, brief);
  gone.push(...(await losers(line, java, 2)));
  const stops = [20, 700].map((waitMs) => comeAndGo(line, java, waitMs));
  const ofNode = [head, ...places].map(({ holderId }) => holderId);
  const standing = await line.waiting();
  const seenAt = Date.now();
  const scores = await Promise.all(ofNode.map(async (holderId) => await line.score(holderId)));

  await holder.call('fair.unlock', name);
  await line.hadTurns([head, ...places], 50_000);
  await Promise.all(stops.map(async (stop) => await stop()));
  const served = await line.served();
  const history = await calls();

  expect(standing.filter((holderId) => ofNode.includes(holderId))).toEqual(ofNode);
  expect(
    scores.every((score) => score > seenAt),
    scores.join(', '),
  ).toBe(true);
  expect(served.filter((holderId) => ofNode.includes(holderId))).toEqual(ofNode);
  const events = history.flatMap((call) => call.events);
  const moved = events.filter(({ what }) => what === 'is evicted' || what === 'returns');
  expect(moved.filter(({ holderId }) => ofNode.includes(holderId))).toEqual([]);
  expect(overtakings(history)).toEqual([]);
});

// The default is what Node counts with; of a longer one it only sees how far off its score is.
test.for([HOUR_MS, 2 * PATIENCE_MS])(
  'Q11: a Java waiter that would wait for %i ms does not cost the Node waiter behind it its place',
  async (waitMs, context) => {
    const world = await open(context);
    const { name, java } = world;
    const line = new MixedLine(world, context);
    const calls = await fairHistories(await startMonitor())(name);
    const holder = java.thread('holder');
    await holder.call('fair.lock', name, { leaseMs: 2 * LEASE_MS });
    const places = [
      await line.join(async () => await line.java(java.thread('patient'), { waitMs })),
      await line.join(async () => await line.node(world.node)),
      await line.join(async () => await line.java(java.thread('brief'), { waitMs: 40_000 })),
      await line.join(async () => await line.node(world.open())),
    ];

    await holder.call('fair.unlock', name);
    const turns = await Promise.all(places.map(async ({ over }) => await over));
    const history = await calls();

    expect(turns).toEqual([true, true, true, true]);
    expect(await line.served()).toEqual(places.map(({ holderId }) => holderId));
    const events = history.flatMap((call) => call.events);
    expect(events.filter(({ what }) => what === 'is evicted' || what === 'returns')).toEqual([]);
  },
);

/** How far the scores are ahead, at one instant. */
interface Look {
  /** Of the largest one. */
  readonly aheadMs: number;
  readonly length: number;
}

/** How far off a score may be: one of Java's stands in line at most, and there is the entry's own. */
const EXPLAINED_MS = LEASE_MS + 2 * PATIENCE_MS;

async function look({ raw, queue, timeouts }: MixedLine): Promise<Look | undefined> {
  const script = `
    local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    return { tostring((last[2] or now) - now), redis.call('LLEN', KEYS[1]) }`;
  const [ahead, length] = (await raw.eval(script, 2, queue, timeouts)) as [string, number];
  return length > 0 ? { aheadMs: Number(ahead), length } : undefined;
}

test('ten thousand Node grants, with a Java waiter now and then, leave no score further off than its line explains', async (context) => {
  const grants = 10_000;
  const contenders = 6;
  const world = await open(context);
  const { name, node, java, raw } = world;
  const line = new MixedLine(world, context);
  const lock = node.getFairLock(name);
  const first = await lock.acquire();
  const done = { node: 0, java: 0 };
  const loops = Array.from({ length: contenders }, async () => {
    while (done.node < grants) {
      const hold = await lock.acquire();
      done.node += 1;
      await hold.release();
    }
  });
  const nowAndThen = async (): Promise<void> => {
    const thread = java.thread('now and then');
    for (; done.node < grants; done.java += 1) {
      await thread.call('fair.lock', name);
      await thread.call('fair.unlock', name);
      const next = Math.min(done.node + 100, grants);
      await eventually(() => done.node >= next, { withinMs: 20_000 });
    }
  };
  await line.queued(contenders);
  const looks: Look[] = [];
  const looking = (async () => {
    while (done.node < grants) {
      const seen = await look(line);
      looks.push(...(seen === undefined ? [] : [seen]));
    }
  })();
  await first.release();
  await Promise.all([...loops, nowAndThen(), looking]);
  await eventually(async () => (await raw.exists(name, line.queue, line.timeouts)) === 0);

  expect(done.java).toBeGreaterThan(20);
  expect(looks.length).toBeGreaterThan(100);
  expect(looks.filter(({ aheadMs }) => aheadMs > EXPLAINED_MS)).toEqual([]);
});
