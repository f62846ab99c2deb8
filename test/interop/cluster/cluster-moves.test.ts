// Java and Node in and out of one lock, while its slot moves from master to master.

import { Cluster, type Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { slotOf } from '../../../src/core/connection/slots.js';
import { moveSlot } from '../../connections/move-slot.js';
import { Gauge } from '../../process/workers/gauge.mjs';
import { eventually } from '../../support/eventually.js';
import { JavaError } from '../support/java.js';
import { interopCluster, MASTERS } from './cluster.js';

const cluster = await interopCluster();

/** What Redisson throws, before it has sent anything, when it has the new map of slots and not yet the
 * master that is named in it. */
const NO_MASTER_YET = '"entry" is null';

/** Calls until Redisson has the master of the slot. */
async function onceItHasMaster<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof JavaError && error.message.includes(NO_MASTER_YET))) {
        throw error;
      }
    }
  }
}

const TOTAL = 400;
const MOVES = 3;

test('no two are in, and all get in after the last move', async (context) => {
  const { java, node } = await cluster.open(context, 'auto');
  const other = await cluster.openNode(context, 'auto');
  const store = new Cluster([...cluster.urls]);
  context.onTestFinished(() => {
    store.disconnect();
  });
  const name = `{${cluster.nameOn(0)}}:lock`;
  const gauge = new Gauge(store, `${name}:gauge`);
  let entries = 0;
  const section = async (): Promise<void> => {
    await gauge.enter('alone');
    entries = await gauge.leave('alone');
  };

  // Not in lock(): a move that meets its subscription can make it throw, or leave it asleep.
  const threads = ['1', '2'].map(async (each) => {
    const thread = java.thread(each);
    for (let isDone = false; !isDone;) {
      if (await onceItHasMaster(async () => await thread.call<boolean>('lock.tryLock', name))) {
        await section();
        isDone = entries >= TOTAL;
        await onceItHasMaster(async () => await thread.call('lock.unlock', name));
      }
    }
  });
  const clients = [node, other].map(async (client) => {
    for (let isDone = false; !isDone;) {
      await client.getLock(name).using(section);
      isDone = entries >= TOTAL;
    }
  });
  const home = (nth: number): Redis => cluster.master(nth % MASTERS.length);
  for (let nth = 1; nth <= MOVES; nth += 1) {
    await eventually(() => entries >= (TOTAL / (MOVES + 1)) * nth, { withinMs: 30_000 });
    const masters = MASTERS.map((master) => cluster.master(master));
    await moveSlot(masters, slotOf(name), home(nth - 1), home(nth));
  }
  await Promise.all([...threads, ...clients]);

  const { clashes = '0', alone } = await store.hgetall(`${name}:gauge`);
  expect({ clashes, alone }).toEqual({ clashes: '0', alone: '0' });
  await store.del(`${name}:gauge`);
});
