// Scenario 7 and the rest of the latch: counted down, awaited, set anew and deleted from both sides.

import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { latchChannel, listening } from '../../support/latch-channel.js';
import { messagesOn } from '../../support/messages.js';
import type { JavaThread } from '../support/java.js';
import { startMonitor, type Seen } from '../support/monitor.js';
import { interopWorlds, stopTimers, type World } from '../support/world.js';

const open = interopWorlds('latch');

/** Longer than a test may last. */
const PATIENCE_MS = 120_000;

interface Side {
  readonly title: string;
  trySetCount(world: World, count: number): Promise<boolean>;
  countDown(world: World): Promise<unknown>;
  count(world: World): Promise<number>;
  delete(world: World): Promise<boolean>;
}

const thread = ({ java }: World): JavaThread => java.thread('main');

const java: Side = {
  title: 'Java',
  trySetCount: async (world, count) =>
    await thread(world).call<boolean>('latch.trySetCount', world.name, { count }),
  countDown: async (world) => await thread(world).call('latch.countDown', world.name),
  count: async (world) => await thread(world).call<number>('latch.count', world.name),
  delete: async (world) => await thread(world).call<boolean>('latch.delete', world.name),
};

const node: Side = {
  title: 'Node',
  trySetCount: async (world, count) =>
    await world.node.getCountDownLatch(world.name).trySetCount(count),
  countDown: async (world) => await world.node.getCountDownLatch(world.name).countDown(),
  count: async (world) => await world.node.getCountDownLatch(world.name).count(),
  delete: async (world) => await world.node.getCountDownLatch(world.name).delete(),
};

const pairs = [
  { first: java, second: node, title: 'Java and Node' },
  { first: node, second: java, title: 'Node and Java' },
];

const FORMS = [{}, { async: true }, { waitMs: PATIENCE_MS }, { waitMs: PATIENCE_MS, async: true }];
const OPENED = [null, null, true, true];

interface Waits {
  readonly answers: Promise<unknown[]>;
}

/** Waits in every form that Java has; none of them looks again without a message. */
async function javaWaits({ java: client, name }: World): Promise<Waits> {
  const answers = FORMS.map(async (form, i) => {
    return await client.thread(`waiter-${i}`).call('latch.await', name, form);
  });
  await eventually(async () => (await client.parked()) === FORMS.length, { withinMs: 20_000 });
  return { answers: Promise.all(answers) };
}

/** Waits in two clients, with and without a limit. */
async function nodeWaits(world: World): Promise<Waits> {
  const clients = [world.open(), world.open()];
  const [, before] = await world.raw.pubsub('NUMSUB', latchChannel(world.name));
  const answers = clients.flatMap((client) => {
    const latch = client.getCountDownLatch(world.name);
    return [latch.wait(), latch.wait({ waitMs: PATIENCE_MS })];
  });
  await listening(world.raw, world.name, Number(before) + clients.length);
  return { answers: Promise.all(answers) };
}

describe.each(pairs)('$title', ({ first, second }) => {
  test('count one latch down together, and all who wait go on', async (context) => {
    stopTimers();
    const world = await open(context);
    expect(await second.count(world)).toBe(0);
    expect(await first.trySetCount(world, 3)).toBe(true);
    expect(await second.trySetCount(world, 5)).toBe(false);
    const ofJava = await javaWaits(world);
    const ofNode = await nodeWaits(world);

    await second.countDown(world);
    expect(await first.count(world)).toBe(2);
    await first.countDown(world);
    expect(await second.count(world)).toBe(1);
    await second.countDown(world);

    expect(await ofJava.answers).toEqual(OPENED);
    expect(await ofNode.answers).toEqual([true, true, true, true]);
    expect([await first.count(world), await second.count(world)]).toEqual([0, 0]);
    expect(await world.raw.exists(world.name)).toBe(0);
    await first.countDown(world);
    await second.countDown(world);
    expect(await world.raw.exists(world.name)).toBe(0);
  });

  test('set it anew for each other, and nobody goes on before its zero', async (context) => {
    stopTimers();
    const world = await open(context);
    await first.trySetCount(world, 1);
    await first.countDown(world);
    for (const [setter, other] of [
      [second, first],
      [first, second],
    ] as const) {
      expect(await setter.trySetCount(world, 2)).toBe(true);
      const ofJava = await javaWaits(world);
      const ofNode = await nodeWaits(world);
      await other.countDown(world);
      expect(await other.trySetCount(world, 2)).toBe(false);
      expect(await world.java.parked()).toBe(FORMS.length);
      await other.countDown(world);
      expect(await ofJava.answers).toEqual(OPENED);
      expect(await ofNode.answers).toEqual([true, true, true, true]);
    }
  });

  test('a wait that runs out answers false, and changes nothing', async (context) => {
    const world = await open(context);
    await first.trySetCount(world, 1);
    const latch = world.node.getCountDownLatch(world.name);
    const waits = [
      thread(world).call('latch.await', world.name, { waitMs: 1_500 }),
      world.java.thread('other').call('latch.await', world.name, { waitMs: 1_500, async: true }),
      latch.wait({ waitMs: 1_500 }),
      latch.wait({ waitMs: 0 }),
    ];

    expect(await Promise.all(waits)).toEqual([false, false, false, false]);

    expect(await second.count(world)).toBe(1);
    expect(await second.delete(world)).toBe(true);
    expect(await first.delete(world)).toBe(false);
    expect(await latch.wait({ waitMs: 0 })).toBe(true);
    expect(await thread(world).call('latch.await', world.name, { waitMs: 1_500 })).toBe(true);
  });
});

describe('C2: deleting a latch', () => {
  test('by Node lets all who wait go', async (context) => {
    stopTimers();
    const world = await open(context);
    await java.trySetCount(world, 3);
    const ofJava = await javaWaits(world);
    const ofNode = await nodeWaits(world);
    const messages = await messagesOn(latchChannel(world.name), { context });

    expect(await node.delete(world)).toBe(true);

    expect(await ofJava.answers).toEqual(OPENED);
    expect(await ofNode.answers).toEqual([true, true, true, true]);
    expect(await java.count(world)).toBe(0);
    expect(await java.trySetCount(world, 1)).toBe(true);
    await node.countDown(world);
    await eventually(() => expect(messages).toEqual(['0', '1', '0']));
  });

  test('by Java lets Node’s waiters go, and leaves Java’s asleep until the next zero', async (context) => {
    stopTimers();
    const world = await open(context);
    await node.trySetCount(world, 3);
    const ofJava = await javaWaits(world);
    const ofNode = await nodeWaits(world);
    const messages = await messagesOn(latchChannel(world.name), { context });

    expect(await java.delete(world)).toBe(true);

    expect(await ofNode.answers).toEqual([true, true, true, true]);
    expect(await world.java.parked()).toBe(FORMS.length);
    expect(await node.count(world)).toBe(0);
    await node.trySetCount(world, 1);
    expect(await world.java.parked()).toBe(FORMS.length);
    await node.countDown(world);
    expect(await ofJava.answers).toEqual(OPENED);
    await eventually(() => expect(messages).toEqual(['1', '1', '0']));
  });
});

test('C7: a count of 0 that Java has left is no latch for Node, which sets it anew', async (context) => {
  const world = await open(context);
  expect(await java.trySetCount(world, 0)).toBe(true);
  expect(await world.raw.get(world.name)).toBe('0');
  expect(await java.trySetCount(world, 2)).toBe(false);
  expect(await node.count(world)).toBe(0);
  expect(await world.node.getCountDownLatch(world.name).wait()).toBe(true);

  expect(await node.trySetCount(world, 2)).toBe(true);

  expect(await java.count(world)).toBe(2);
  expect(await node.delete(world)).toBe(true);
});

test('C5: the waiters of a latch that was over before Java set the next one go on', async (context) => {
  const world = await open(context);
  await world.node.getCountDownLatch(world.name).trySetCount(2, { ttlMs: 1_000 });
  const ofNode = await nodeWaits(world);

  await eventually(async () => await java.trySetCount(world, 2));

  expect(await ofNode.answers).toEqual([true, true, true, true]);
  expect(await node.count(world)).toBe(2);
  expect(await java.delete(world)).toBe(true);
});

describe('C9: how often a synchronous await of Java reads the count', () => {
  test('twice and once a message, whatever Node does meanwhile', async (context) => {
    const world = await open(context);
    const { name, java: client } = world;
    const monitor = await startMonitor();
    const messages = await messagesOn(latchChannel(name), { context });
    const latch = world.node.getCountDownLatch(name);
    const other = world.node.getCountDownLatch(`${name}-other`);
    await latch.trySetCount(301);
    const waiting = client.thread('waiter').call('latch.await', name);
    await eventually(async () => (await client.parked()) === 1);

    const nodeWaiting = world.open().getCountDownLatch(name).wait();
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        await latch.countDown();
        expect(await latch.trySetCount(5)).toBe(false);
        expect(await latch.wait({ waitMs: 0 })).toBe(false);
        if (i % 3 === 0) {
          await other.trySetCount(1 + (i % 2));
          await other.countDown();
          await other.delete();
        }
      }),
    );
    expect(await latch.count()).toBe(1);
    expect(await client.parked()).toBe(1);
    await latch.countDown();

    await Promise.all([waiting, nodeWaiting]);
    await eventually(() => expect(messages).toEqual(['1', '0']));
    const reads = readsOf(await monitor.news(), name);
    expect(reads).toBeGreaterThanOrEqual(2);
    // Of the two messages it has heard the second one only.
    expect(reads).toBeLessThanOrEqual(2 + 1);
  });

  test('over twenty generations, a few times each', async (context) => {
    const world = await open(context);
    const { name, java: client } = world;
    const monitor = await startMonitor();
    const messages = await messagesOn(latchChannel(name), { context });
    const latch = world.node.getCountDownLatch(name);
    for (let generation = 0; generation < 20; generation += 1) {
      expect(await latch.trySetCount(2)).toBe(true);
      const waiting = client.thread('waiter').call('latch.await', name);
      await eventually(async () => (await client.parked()) === 1);
      await latch.countDown();
      await (generation % 2 === 0 ? latch.countDown() : latch.delete());
      await waiting;
    }
    await eventually(() => expect(messages).toHaveLength(20 * 2));
    expect(readsOf(await monitor.news(), name)).toBeLessThanOrEqual(20 * 2 + messages.length);
  });

  test('without end after a 0 at a positive count, which Node never sends', async (context) => {
    const world = await open(context);
    const { name, raw, java: client } = world;
    const monitor = await startMonitor();
    await node.trySetCount(world, 1);
    const waiting = client.thread('waiter').call('latch.await', name);
    await eventually(async () => (await client.parked()) === 1);

    await raw.publish(latchChannel(name), '0');

    let reads = 0;
    await eventually(async () => (reads += readsOf(await monitor.news(), name)) > 500);
    await node.countDown(world);
    await waiting;
  });
});

/** How often Java has read the count. */
function readsOf(seen: readonly Seen[], name: string): number {
  return seen.filter(
    ({ who, command: [verb, key] }) => who === 'java' && verb === 'get' && key === name,
  ).length;
}
