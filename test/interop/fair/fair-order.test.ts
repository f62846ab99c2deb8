// Scenario 6: in a fair lock, the order of the line is the order of service, whoever stands in it.

import { expect, test } from 'vitest';
import { startCrowd } from '../../process/crowd.js';
import { chance } from '../../process/random.js';
import { ENTER, LEAVE } from '../../process/workers/gauge.mjs';
import { eventually } from '../../support/eventually.js';
import type { Worker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { fairHistories, overtakings } from './fair-history.js';
import { MixedLine, type Place } from './fair-line.js';
import { startMonitor } from '../support/monitor.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('fair-order');

const ROUNDS = 6;

test('Java threads, Node clients and Node processes are served in the order in which they queue', async (context) => {
  // Each turn has a holder id of its own.
  const world = await open(context, { node: { handOff: 'strict' } });
  const { name, java, node } = world;
  const { shuffled, between } = chance('fair order');
  const line = new MixedLine(world, context);
  const [otherJava, otherNode] = [await world.openJava(), world.open({ handOff: 'strict' })];
  const crowd = await startCrowd('queuer', 2, () => [redisUrl(), name, 30_000]);
  const [one, two] = crowd as [Worker, Worker];
  const waits = [
    () => line.java(java.thread('a')),
    () => line.java(java.thread('b'), { waitMs: 50_000 }),
    () => line.java(java.thread('c'), { async: true }),
    () => line.java(otherJava.thread('a')),
    () => line.java(otherJava.thread('b'), { waitMs: 50_000, async: true }),
    () => line.node(node),
    () => line.node(node, { waitMs: 50_000 }),
    () => line.node(otherNode),
    () => line.process(one, 1),
    () => line.process(one, 2),
    () => line.process(two, 3),
  ];
  const rounds: { queue: string[]; served: string[] }[] = [];

  for (let i = 0; i < ROUNDS; i += 1) {
    const holder = between(0, 1) === 0 ? await node.getFairLock(name).acquire() : undefined;
    const thread = java.thread('holder');
    if (holder === undefined) {
      await thread.call('fair.lock', name);
    }
    const places: Place[] = [];
    for (const wait of shuffled(waits).slice(0, between(6, waits.length))) {
      places.push(await line.join(wait));
    }
    const queue = await line.waiting();
    await (holder === undefined ? thread.call('fair.unlock', name) : holder.release());
    await Promise.all(places.map(async ({ over }) => await over));
    rounds.push({ queue, served: await line.served() });
    await line.forgetServed();
  }
  const left = await line.raw.exists(name, line.queue, line.timeouts);
  await Promise.all(crowd.map(async (worker) => await worker.kill()));

  for (const { queue, served } of rounds) {
    expect(queue.length).toBeGreaterThanOrEqual(6);
    expect(served).toEqual(queue);
  }
  expect(left).toBe(0);
});

test('over hundreds of grants nobody is served before one that queued earlier', async (context) => {
  const world = await open(context);
  const { name, java, node, raw } = world;
  const line = new MixedLine(world, context);
  const history = await fairHistories(await startMonitor())(name);
  const clients = [world.open(), world.open(), world.open()];
  const [grants, limit, gauge] = [600, 1, `${name}:gauge`];
  const seen = async (): Promise<number> => Number(await raw.hget(gauge, 'entries'));
  const first = await node.getFairLock(name).acquire();
  const threads = ['a', 'b'].map(async (thread) => {
    const args = { enter: ENTER, leave: LEAVE, gauge, side: 'alone', limit, total: grants };
    return await java.thread(thread).call<{ sections: number }>('sections.fair', name, args);
  });
  const loops = clients.map(async (client) => {
    let sections = 0;
    for (; (await seen()) < grants; sections += 1) {
      const hold = await client.getFairLock(name).acquire();
      await raw.eval(ENTER, 1, gauge, 'alone', limit, 'node', '');
      await raw.eval(LEAVE, 1, gauge, 'alone');
      await hold.release();
    }
    return { sections };
  });
  await line.queued(5);
  await first.release();
  const shares = await Promise.all([...threads, ...loops]);
  const clashes = await raw.hget(gauge, 'clashes');
  const calls = await history();

  const sections = shares.map((share) => share.sections);
  const events = calls.flatMap((call) => call.events);
  expect(events.filter(({ what }) => what === 'enters').length).toBeGreaterThan(grants);
  expect(events.filter(({ what }) => what === 'queues').length).toBeGreaterThan(grants / 2);
  expect(events.filter(({ what }) => what === 'is evicted')).toEqual([]);
  expect(overtakings(calls)).toEqual([]);
  expect(clashes).toBeNull();
  expect(Math.min(...sections), sections.join(', ')).toBeGreaterThan(0);
  await eventually(async () => (await raw.exists(name, line.queue, line.timeouts)) === 0);
});
