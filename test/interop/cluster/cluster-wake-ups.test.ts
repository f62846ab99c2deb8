// Scenario 1 on a cluster: whoever waits gets in by the other side's message, with sharded pub/sub as
// Redisson does it by default, and with it switched off on both sides.

import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { interopCluster, MASTERS } from './cluster.js';
import { watchMasters, type Watch } from './cluster-watch.js';
import { firstOf, kinds, type Enter, type Kind } from '../wake-ups/wake-up-kinds.js';
import type { JavaThread } from '../support/java.js';
import { untilAsleep } from '../wake-ups/sleeps.js';
import { stopTimers } from '../support/world.js';

const cluster = await interopCluster();
let watch: Awaited<ReturnType<typeof watchMasters>>;

beforeAll(async () => {
  watch = await watchMasters(cluster);
});

/** Renewed, and far longer than a test may last: whoever waits for its end is not in by then. */
const LEASE_MS = 300_000;

const modes = [
  { mode: 'auto', tell: 'spublish', listen: 'ssubscribe' },
  { mode: 'off', tell: 'publish', listen: 'subscribe' },
] as const;

/** The first method without a limit, in either form. */
function javaWaits({ javaWaits: methods }: Kind, form: 'sync' | 'async'): Enter<JavaThread> {
  const [sync, async] = Object.values(methods);
  return (form === 'sync' ? sync : async) as Enter<JavaThread>;
}

/** Each kind comes to every master with its four cases. */
const spread = kinds.map((kind, i) => ({
  what: kind.what,
  kind,
  masterOf: (nth: number) => (i + nth) % MASTERS.length,
}));

describe.each(modes)('told $mode: $tell and $listen', ({ mode, tell, listen }) => {
  /** Fails unless one side has told and the other has listened, and nobody in another way. */
  function expectTold(watched: Watch, teller: string, listener: string): void {
    const told = watched.told();
    expect(told).toEqual(expect.arrayContaining([`${teller} ${tell}`, `${listener} ${listen}`]));
    const verbs = told.map((each) => each.split(' ')[1]);
    expect(verbs.filter((verb) => verb !== tell && verb !== listen)).toEqual([]);
  }

  describe.each(spread)('$what', ({ kind, masterOf }) => {
    test.for([
      ['sync', masterOf(0)],
      ['async', masterOf(1)],
    ] as const)('Java leaves (%s, master %i): Node gets in', async ([form, master], context) => {
      stopTimers();
      const { java, node } = await cluster.open(context, mode, mode);
      const name = cluster.nameOn(master);
      const watched = watch(master, name);
      const release = await kind.javaHolds(java.thread('holder'), name);
      await watched.take();
      const waiting = firstOf(kind.nodeWaits)(node, name);
      await untilAsleep(watched, node);

      await release(form);
      const leave = await waiting;

      await watched.expect([`java tells ${kind.message}`, `node ${kind.entry}`]);
      await leave();
      expectTold(watched, 'java', 'node');
      await cluster.forget(master, name);
    });

    test.for([
      ['sync', masterOf(2)],
      ['async', masterOf(3)],
    ] as const)('Node leaves, Java (%s, master %i) gets in', async ([form, master], context) => {
      const java = await cluster.openJava(context, mode);
      const node = await cluster.openNode(context, mode, { leaseMs: LEASE_MS });
      const name = cluster.nameOn(master);
      const watched = watch(master, name);
      const release = await kind.nodeHolds(node, name);
      await watched.take();
      const waiting = javaWaits(kind, form)(java.thread('waiter'), name);
      await watched.expect(['java asks', 'java listens', 'java asks']);
      await eventually(async () => (await java.parked()) === 1, { withinMs: 10_000 });

      await release();
      const leave = await waiting;

      await watched.expect([`node tells ${kind.message}`, `java ${kind.entry}`]);
      await leave();
      expectTold(watched, 'node', 'java');
      await cluster.forget(master, name);
    });
  });
});
