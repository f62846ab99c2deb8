// Scenario 6: what waiters of a fair lock that died or froze cost those behind them.

import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Finishing } from '../../faults/world.js';
import { heard } from '../../process/crowd.js';
import { eventually } from '../../support/eventually.js';
import { startWorker, type Worker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { fairHistories, type FairCall } from './fair-history.js';
import { MixedLine, type Place } from './fair-line.js';
import { JavaProgram, type JavaClient, type JavaOptions } from '../support/java.js';
import { startMonitor } from '../support/monitor.js';
import { interopWorlds, type World } from '../support/world.js';

/** What the dead and the frozen of Node cost together, at most: the window of one grant, which is 4 s,
 * and a heartbeat. */
const NODE_SILENCE_MS = 5_000;
/** What a slow machine may add. */
const SLACK_MS = 5_000;
/** Java's waiters look by themselves when the lease that they saw ends. */
const LEASE_MS = 12_000;
/** Patience of the Java waiters that are killed. */
const JAVA_PATIENCE_MS = 3_000;

/** Longest wait of Java: what asks on and on must end with its test. */
const JAVA_WAIT_MS = 25_000;

// Many processes start at once.
vi.setConfig({ testTimeout: 120_000 });
const open = interopWorlds('fair-absent');
let historyOf: ReturnType<typeof fairHistories>;

beforeAll(async () => {
  historyOf = fairHistories(await startMonitor());
});

interface Absence {
  readonly what: string;
  readonly processes: number;
  readonly strike: (worker: Worker) => Promise<unknown>;
}

const kill = async (worker: Worker): Promise<unknown> => await worker.kill();
const killed: Absence = { what: 'a killed Node process', processes: 1, strike: kill };
const frozen: Absence = {
  what: 'a frozen Node process',
  processes: 1,
  strike: async (worker) => {
    await Promise.resolve(worker.signal('SIGSTOP'));
  },
};
const several: Absence = { ...killed, what: 'three killed Node processes', processes: 3 };

function titled(...absences: readonly Absence[]): [string, Absence][] {
  return absences.map((absence) => [absence.what, absence]);
}

interface Scene {
  readonly world: World;
  readonly line: MixedLine;
  /** In front of all others. */
  readonly absent: Place[];
  readonly crowd: readonly Worker[];
  readonly release: () => Promise<void>;
}

/** Somebody holds the lock, and Node processes wait for it, two places each. */
async function scene(
  context: Finishing,
  { processes }: Absence,
  holder: 'java' | 'node',
  java: JavaOptions = {},
): Promise<Scene> {
  const world = await open(context, { java });
  const { name } = world;
  const line = new MixedLine(world, context);
  const thread = world.java.thread('holder');
  const taken = holder === 'node' ? await world.node.getFairLock(name).acquire() : undefined;
  if (taken === undefined) {
    await thread.call('fair.lock', name);
  }
  const release = async (): Promise<void> =>
    await (taken === undefined ? thread.call('fair.unlock', name) : taken.release());
  const args = [redisUrl(), name, `${LEASE_MS}`];
  const crowd = Array.from({ length: processes }, () => startWorker('queuer', { args }));
  await heard(crowd, 'ready', { withinMs: 60_000 });
  const absent: Place[] = [];
  for (const worker of [...crowd, ...crowd]) {
    absent.push(await line.join(async () => await line.process(worker, absent.length)));
  }
  return { world, line, absent, crowd, release };
}

/** A Java thread begins to wait, and sleeps until it is told. */
async function joinJava({ world, line }: Pick<Scene, 'world' | 'line'>): Promise<Place> {
  const { java } = world;
  const asleep = await java.parked();
  const place = await line.join(
    async () => await line.java(java.thread('behind'), { waitMs: JAVA_WAIT_MS }),
  );
  await eventually(async () => (await java.parked()) === asleep + 1, { withinMs: 20_000 });
  return place;
}

/** Waits until all have had a turn; answers how long that took. */
async function turnsOf(line: MixedLine, places: Place[], withinMs: number): Promise<number> {
  const from = performance.now();
  await line.hadTurns(places, withinMs);
  await Promise.all(places.map(async ({ over }) => await over));
  return performance.now() - from;
}

function javaAsks(calls: readonly FairCall[]): number {
  return calls.filter(({ who }) => who === 'java').length;
}

describe.concurrent.each(titled(killed, frozen, several))('%s at the head', (_, absence) => {
  test.for(['java', 'node'] as const)(
    'costs Java and Node behind it little more than a window when %s releases',
    async (holder, context) => {
      const scenery = await scene(context, absence, holder);
      const { world, line, absent, crowd, release } = scenery;
      const first = await joinJava(scenery);
      const second = await line.join(async () => await line.node(world.open()));
      const history = await historyOf(world.name);

      await Promise.all(crowd.map(absence.strike));
      await release();
      const waitedMs = await turnsOf(line, [first, second], 20_000);
      const served = await line.served();
      const calls = await history();
      crowd.forEach((worker) => worker.signal('SIGCONT'));
      const back = absence === frozen ? absent : [];
      await line.hadTurns(back, 20_000);
      const all = await line.served();
      await Promise.all(crowd.map(kill));

      expect(waitedMs).toBeLessThan(NODE_SILENCE_MS + SLACK_MS);
      expect(served).toEqual([first.holderId, second.holderId]);
      // Who comes back is served after all, in its own order.
      expect(all).toEqual([...served, ...back.map(({ holderId }) => holderId)]);
      // Nobody asks while it sleeps: Java is told. It asks, frees the lock, and may look once.
      expect(javaAsks(calls)).toBeLessThan(10);
    },
  );
});

describe.concurrent.each([killed, several])(
  '$what at the head, and only Java behind',
  (absence) => {
    test('costs it 5 s at most when Node releases', async (context) => {
      const scenery = await scene(context, absence, 'node');
      const place = await joinJava(scenery);

      await Promise.all(scenery.crowd.map(absence.strike));
      await scenery.release();
      const waitedMs = await turnsOf(scenery.line, [place], JAVA_WAIT_MS);

      expect(waitedMs).toBeLessThan(NODE_SILENCE_MS + SLACK_MS);
    });

    test('costs it nothing when Java releases 5 s later', async (context) => {
      const scenery = await scene(context, absence, 'java');
      const place = await joinJava(scenery);

      await Promise.all(scenery.crowd.map(absence.strike));
      const struckAt = performance.now();
      await eventually(() => performance.now() - struckAt > NODE_SILENCE_MS, { withinMs: 20_000 });
      await scenery.release();
      const waitedMs = await turnsOf(scenery.line, [place], JAVA_WAIT_MS);

      expect(waitedMs).toBeLessThan(SLACK_MS);
    });
  },
);

// Java's unlock tells the head and nobody else, and no Node client is left to see that it is dead.
test('Q5: behind a Node process that died just before Java released, Java sleeps until the lease it saw ends', async (context) => {
  const leaseMs = 15_000;
  const scenery = await scene(context, killed, 'java', { leaseMs });
  const place = await joinJava(scenery);
  const history = await historyOf(scenery.world.name);

  await Promise.all(scenery.crowd.map(kill));
  await scenery.release();
  const waitedMs = await turnsOf(scenery.line, [place], JAVA_WAIT_MS);

  expect(waitedMs).toBeGreaterThan(NODE_SILENCE_MS);
  expect(waitedMs).toBeLessThan(leaseMs + SLACK_MS);
  expect(javaAsks(await history())).toBeLessThan(10);
});

/** A Java program of its own. */
async function startDoomed(): Promise<JavaClient> {
  const program = JavaProgram.start();
  return await program.open({ url: redisUrl(), fairWaitMs: JAVA_PATIENCE_MS });
}

/** It begins to wait, and is killed. */
async function die(doomed: JavaClient, line: MixedLine): Promise<Place> {
  const thread = doomed.thread('doomed');
  const place = await line.join(async () => await thread.call('fair.lock', line.name));
  await doomed.program.kill();
  return place;
}

describe.concurrent('a killed Java waiter', () => {
  test('at the head costs Node behind it its own patience, and no more', async (context) => {
    const doomed = await startDoomed();
    const world = await open(context);
    const line = new MixedLine(world, context);
    const leaseMs = 2_000;
    const taken = await world.open({ leaseMs }).getFairLock(world.name).acquire();
    const dead = await die(doomed, line);
    const left = (await line.score(dead.holderId)) - (await line.now());
    const scoreMs = await line.score(dead.holderId);
    const behind = [
      await line.join(async () => await line.node(world.node)),
      await line.join(async () => await line.node(world.open())),
    ];

    await taken.release();
    await line.hadTurns(behind.slice(0, 1), 20_000);
    const inMs = await line.now();
    await turnsOf(line, behind, 20_000);

    // It might have been alive until then.
    expect(left).toBeLessThanOrEqual(JAVA_PATIENCE_MS + leaseMs);
    expect(inMs).toBeGreaterThanOrEqual(scoreMs);
    expect(inMs - scoreMs).toBeLessThan(SLACK_MS);
    expect(await line.served()).toEqual(behind.map(({ holderId }) => holderId));
  });

  test('between Node waiters costs the one behind it no more either', async (context) => {
    const doomed = await startDoomed();
    const world = await open(context);
    const line = new MixedLine(world, context);
    const taken = await world.node.getFairLock(world.name).acquire();
    const first = await line.join(async () => await line.node(world.open()));
    await die(doomed, line);
    const behind = await line.join(async () => await line.node(world.open()));

    await taken.release();
    await turnsOf(line, [first], 20_000);
    const waitedMs = await turnsOf(line, [behind], 40_000);

    expect(waitedMs).toBeLessThan(NODE_SILENCE_MS + JAVA_PATIENCE_MS + SLACK_MS);
  });

  test('Q5: when Java drops it without a word, a Node waiter tells the next one', async (context) => {
    const doomed = await startDoomed();
    const world = await open(context);
    const line = new MixedLine(world, context);
    const taken = await world.node.getFairLock(world.name).acquire();
    const dead = await die(doomed, line);
    const next = await joinJava({ world, line });
    const last = await line.join(async () => await line.node(world.open()));

    await taken.release();
    // As every call of Java's does with a head whose score has passed.
    await line.evict(dead.holderId);
    const waitedMs = await turnsOf(line, [next, last], JAVA_WAIT_MS);

    expect(waitedMs).toBeLessThan(SLACK_MS);
    expect(await line.served()).toEqual([next.holderId, last.holderId]);
  });
});
