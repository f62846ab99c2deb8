// Readers of one client that enter the line one after the other, before any of them was answered.

import { expect, test } from 'vitest';
import { JAVA, RwView } from '../integration/rwlock/rwlock.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds } from './world.js';

const open = faultWorlds('reader-ranks');

test('a reader keeps its rank when another of its client enters behind a writer', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const raw = rawClient();
  const view = new RwView(raw, name);
  const order: string[] = [];
  const enter = async (who: string, work: Promise<{ release(): Promise<void> }>): Promise<void> => {
    const hold = await work;
    order.push(who);
    await hold.release();
  };
  const { readLock } = client.getReadWriteLock(name);
  const { writeLock } = other.getReadWriteLock(name);
  await view.javaWrites(JAVA, 60_000);

  proxy.pauseDownstream();
  const first = enter('first reader', readLock.acquire());
  await eventually(async () => (await raw.zcard(view.waiting)) === 1);
  const rank = await raw.zscore(view.waiting, client.id);
  const writer = enter('writer', writeLock.acquire());
  await view.writersWait(1);
  // The next sign of life tells that the second reader's ask has run.
  await raw.zrem(view.beats, client.id);
  const second = enter('second reader', readLock.acquire());
  await eventually(async () => (await raw.zscore(view.beats, client.id)) !== null);
  const kept = await raw.zscore(view.waiting, client.id);
  await view.javaStopsWriting();
  proxy.resumeDownstream();
  await Promise.all([first, writer, second]);

  expect(kept).toBe(rank);
  expect(order[0]).toBe('first reader');
});
