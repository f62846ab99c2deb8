// Scenario 6: a free fair lock makes no Java thread ask again and again.

import { beforeAll, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { isSubscriber } from '../../faults/world.js';
import { startCrowd } from '../../process/crowd.js';
import { chance } from '../../process/random.js';
import { ENTER, LEAVE } from '../../process/workers/gauge.mjs';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import type { Worker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { fairHistories, type FairCall } from './fair-history.js';
import { MixedLine, type Place } from './fair-line.js';
import { startMonitor } from '../support/monitor.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('fair-spin');
const LEFT = new Error('left');
let historyOf: ReturnType<typeof fairHistories>;

beforeAll(async () => {
  historyOf = fairHistories(await startMonitor());
});

/** Scripts of the lock that Java ran. */
function ofJava(calls: readonly FairCall[]): number {
  return calls.filter(({ who }) => who === 'java').length;
}

/** A Java thread begins to wait, and sleeps until it is told. */
async function joinAsleep({ java }: World, line: MixedLine): Promise<Place> {
  const asleep = await java.parked();
  const place = await line.join(async () => await line.java(java.thread('behind')));
  await eventually(async () => (await java.parked()) === asleep + 1, { withinMs: 20_000 });
  return place;
}

/** A Node client begins to wait, and may be called off. */
async function joinForNow(client: Client, line: MixedLine): Promise<Place & { leave: () => void }> {
  const abort = new AbortController();
  const { signal } = abort;
  const place = await line.join(async () => await line.node(client, { signal }));
  return { ...place, leave: () => abort.abort(LEFT) };
}

test('while Node heads come and go, Java threads ask a few times for each turn of theirs', async (context) => {
  const world = await open(context);
  const { name, java, raw } = world;
  const line = new MixedLine(world, context);
  const { between } = chance('fair spin');
  const calls = await historyOf(name);
  const [limit, total, gauge] = [1, 120, `${name}:gauge`];
  const args = { enter: ENTER, leave: LEAVE, gauge, side: 'alone', limit, total, insideMs: 40 };
  const from = performance.now();
  const threads = ['a', 'b', 'c', 'd'].map(
    async (thread) =>
      await java.thread(thread).call<{ sections: number }>('sections.fair', name, args),
  );
  const outcomes = { served: 0, late: 0, left: 0 };
  const state = { isOver: false };
  const comings = [world.open(), world.open(), world.open()].map(async (client) => {
    while (!state.isOver) {
      const ways = [
        async () => await line.node(client),
        async () => await line.node(client, { waitMs: between(1, 60) }),
        async () => await line.node(client, { signal: AbortSignal.timeout(between(1, 60)) }),
      ];
      const outcome = await ways[between(0, 2)]?.().then(
        (isIn) => (isIn ? 'served' : 'late'),
        () => 'left' as const,
      );
      outcomes[outcome ?? 'left'] += 1;
    }
  });

  const shares = await Promise.all(threads);
  const seconds = (performance.now() - from) / 1_000;
  state.isOver = true;
  await Promise.all(comings);
  await eventually(async () => (await raw.exists(line.queue, line.timeouts)) === 0);
  const asked = ofJava(await calls());

  const turns = shares.reduce((sum, { sections }) => sum + sections, 0);
  const what = `${asked} scripts for ${turns} turns in ${seconds} s`;
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(10);
  // It asks, listens and asks again, is told and asks; then it unlocks. It does ask on and on while
  // a Node head is on its way to a free lock, which is a matter of milliseconds: a head that did not
  // know would cost thousands of scripts.
  expect(asked / turns, what).toBeLessThan(20);
  expect(asked / threads.length / seconds, what).toBeLessThan(100);
});

test('a Node head that leaves a held lock costs Java nothing: the unlock tells it', async (context) => {
  const world = await open(context);
  const line = new MixedLine(world, context);
  const taken = await world.node.getFairLock(world.name).acquire();
  const head = await joinForNow(world.open(), line);
  const behind = await joinAsleep(world, line);
  const calls = await historyOf(world.name);

  head.leave();
  await expect(head.over).rejects.toBe(LEFT);
  const waiting = await line.queued(1);
  const before = ofJava(await calls());
  await taken.release();
  await behind.over;
  const after = await calls();

  expect(waiting).toEqual([behind.holderId]);
  expect(before).toBe(0);
  // It gets in with its first attempt, and unlocks.
  expect(ofJava(after)).toBe(2);
});

test('a Node head that leaves before it has heard of its grant tells Java at once', async (context) => {
  // What wakes Java is no look of Node's.
  stopTimers();
  const world = await open(context);
  const line = new MixedLine(world, context);
  const proxy = await startProxy({ target: redisUrl() });
  context.onTestFinished(async () => await proxy.close());
  const taken = await world.node.getFairLock(world.name).acquire();
  const head = await joinForNow(world.open({ redis: proxy.url }), line);
  const behind = await joinAsleep(world, line);
  const calls = await historyOf(world.name);

  // The head is granted the lock, and does not hear of it.
  const deaf = proxy.connections().filter(isSubscriber);
  deaf.forEach(({ down }) => down.stop('paused'));
  await taken.release();
  const granted = await world.raw.hkeys(world.name);
  const before = await calls();
  head.leave();
  await expect(head.over).rejects.toBe(LEFT);
  await behind.over;
  const after = await calls();
  deaf.forEach(({ down }) => down.go('paused'));

  expect(deaf).toHaveLength(1);
  expect(granted).toEqual([head.holderId]);
  expect(ofJava(before)).toBe(0);
  // It gets in with its first attempt, and unlocks.
  expect(ofJava(after)).toBe(2);
});

// What Redisson answers a waiter while the lock is free and somebody else's turn: ask again at once.
test('Q1: Java that comes to a free lock whose Node head has died asks on and on, for 5 s at most', async (context) => {
  const world = await open(context);
  const line = new MixedLine(world, context);
  const taken = await world.node.getFairLock(world.name).acquire();
  const crowd = await startCrowd('queuer', 1, () => [redisUrl(), world.name, 30_000]);
  const [worker] = crowd as [Worker];
  await line.join(async () => await line.process(worker, 1));
  const calls = await historyOf(world.name);

  const [head = ''] = await world.raw.lrange(`redisson_lock_queue:{${world.name}}`, 0, 0);
  // The server knows that it listened, and that it does so no more: else the dead one is handed the lock.
  await eventually(async () => {
    const ticket = await world.raw.hget(`redlatch_tickets:{${world.name}}`, head);
    return ticket?.endsWith(' 1') === true;
  });
  await worker.kill();
  await eventually(
    async () => (await world.raw.pubsub('NUMSUB', `redlatch:${head.slice(0, 36)}`))[1] === 0,
  );
  await taken.release();
  const from = performance.now();
  const late = world.java.thread('late');
  const isIn = await line.java(late, { waitMs: 12_000 });
  const waitedMs = performance.now() - from;
  const during = ofJava(await calls());
  const again = await line.java(late, { waitMs: 12_000 });
  const after = ofJava(await calls());

  expect([isIn, again]).toEqual([true, true]);
  expect(waitedMs).toBeLessThan(10_000);
  expect(during).toBeGreaterThan(100);
  expect(after).toBe(2);
});
