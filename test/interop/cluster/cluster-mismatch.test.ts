// Java and Node on one cluster, of which one was told to use sharded messages and the other not to:
// no message gets through, and all else holds.

import { beforeAll, describe, expect, test } from 'vitest';
import { countsOf, expectExclusion } from '../../process/crowd.js';
import { Gauge } from '../../process/workers/gauge.mjs';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import { interopCluster, MASTERS } from './cluster.js';
import { watchMasters } from './cluster-watch.js';
import { firstOf, kinds } from '../wake-ups/wake-up-kinds.js';
import { untilAsleep } from '../wake-ups/sleeps.js';
import { stopTimers } from '../support/world.js';

const cluster = await interopCluster();
let watch: Awaited<ReturnType<typeof watchMasters>>;

beforeAll(async () => {
  watch = await watchMasters(cluster);
});

/** Renewed, and far longer than a test may last: whoever waits for its end is not in by then. */
const LEASE_MS = 300_000;

/** Answers how to leave, or null when somebody else is in. */
type TryEnter = () => Promise<(() => Promise<unknown>) | null>;

const spread = kinds.map((kind, i) => ({
  what: kind.what,
  kind,
  master: i % MASTERS.length,
}));

const mismatches = [
  { java: 'off', node: 'auto', javaTells: 'PUBLISH', nodeTells: 'SPUBLISH' },
  { java: 'auto', node: 'off', javaTells: 'SPUBLISH', nodeTells: 'PUBLISH' },
] as const;

/** Tells whoever listens to the object, by hand. */
async function tell(master: number, name: string, by: string, message: string): Promise<void> {
  const raw = cluster.master(master);
  for (const channel of await channelsUnder(`{${name}}`, raw)) {
    if (channel.startsWith('redisson')) {
      await raw.call(by, channel, message);
    }
  }
}

describe.each(mismatches)('Java told $java, Node told $node', (told) => {
  describe.each(spread)('$what', ({ kind, master }) => {
    test('Node does not hear Java, but hears the other kind of message', async (context) => {
      stopTimers();
      const { java, node } = await cluster.open(context, told.java, told.node);
      const name = cluster.nameOn(master);
      const watched = watch(master, name);
      const release = await kind.javaHolds(java.thread('holder'), name);
      await watched.take();
      const waiting = firstOf(kind.nodeWaits)(node, name);
      await untilAsleep(watched, node);

      await release();
      await tell(master, name, told.javaTells, kind.message);
      await node.getLock(cluster.nameOn(master)).isLocked();
      await watched.expect([`java tells ${kind.message}`]);

      await tell(master, name, told.nodeTells, kind.message);
      const leave = await waiting;
      await watched.expect([`node ${kind.entry}`]);
      await leave();
      await cluster.forget(master, name);
    });

    test('Java does not hear Node, but hears the other kind of message', async (context) => {
      const java = await cluster.openJava(context, told.java);
      const node = await cluster.openNode(context, told.node, { leaseMs: LEASE_MS });
      const name = cluster.nameOn(master);
      const watched = watch(master, name);
      const release = await kind.nodeHolds(node, name);
      await watched.take();
      const waiting = firstOf(kind.javaWaits)(java.thread('waiter'), name);
      await watched.expect(['java asks', 'java listens', 'java asks']);
      await eventually(async () => (await java.parked()) === 1, { withinMs: 10_000 });

      await release();
      await tell(master, name, told.nodeTells, kind.message);
      await java.thread('other').call('lock.isLocked', cluster.nameOn(master));
      expect(await java.parked()).toBe(1);
      await watched.expect([`node tells ${kind.message}`]);

      await tell(master, name, told.javaTells, kind.message);
      const leave = await waiting;
      await watched.expect([`java ${kind.entry}`]);
      await leave();
      await cluster.forget(master, name);
    });
  });

  test('Node gets into everything by looking again', async (context) => {
    const { java, node } = await cluster.open(context, told.java, told.node);

    const scenes = spread.map(async ({ what, kind, master }) => {
      const name = cluster.nameOn(master);
      const release = await kind.javaHolds(java.thread(what), name);
      const waiting = firstOf(kind.nodeWaits)(node, name);
      await eventually(async () => {
        expect(await channelsUnder(`{${name}}`, cluster.master(master)), what).not.toEqual([]);
      });
      await release();
      const leave = await waiting;
      await leave();
      await cluster.forget(master, name);
    });

    await Promise.all(scenes);
  });

  test('never are two in, though all ask again and again', async (context) => {
    const { java, node } = await cluster.open(context, told.java, told.node);
    const name = cluster.nameOn(1);
    const raw = cluster.master(1);
    const [key, counter] = [`{${name}}:gauge`, `{${name}}:counter`];
    const gauge = new Gauge(raw, key);
    let entries = 0;
    const contend = async (tryEnter: TryEnter): Promise<number> => {
      let sections = 0;
      while (entries < 400) {
        const leave = await tryEnter();
        if (leave !== null) {
          await gauge.enter('alone');
          await raw.set(counter, Number(await raw.get(counter)) + 1);
          entries = await gauge.leave('alone');
          await leave();
          sections += 1;
        }
      }
      return sections;
    };
    const ofJava = (which: string): TryEnter => {
      const thread = java.thread(which);
      const leave = async (): Promise<unknown> => await thread.call('lock.unlock', name);
      return async () => ((await thread.call<boolean>('lock.tryLock', name)) ? leave : null);
    };
    const ofNode: TryEnter = async () => {
      const hold = await node.getLock(name).tryAcquire();
      return hold === null ? null : async () => await hold.release();
    };

    const sections = await Promise.all([ofJava('1'), ofJava('2'), ofNode, ofNode].map(contend));

    const counts = await countsOf(raw, key);
    expectExclusion(counts);
    expect(counts).toMatchObject({ alone: 0, entries });
    expect(await raw.get(counter)).toBe(String(entries));
    expect(Math.min(...sections), sections.join(' + ')).toBeGreaterThan(0);
    await raw.del(key, counter);
  });
});

test('Java gets into a lock when the lease ends that it has seen', async (context) => {
  const { java, node } = await cluster.open(context, 'off', 'auto');
  const name = cluster.nameOn(0);
  const watched = watch(0, name);
  const hold = await node.getLock(name).acquire({ leaseMs: 8_000 });
  await watched.take();
  const waiting = java.thread('waiter').call('lock.lock', name);
  await watched.expect(['java asks', 'java listens', 'java asks']);

  await hold.release();
  await watched.expect(['node tells 0']);
  await waiting;

  await watched.expect(['java enters']);
  await java.thread('waiter').call('lock.unlock', name);
});
