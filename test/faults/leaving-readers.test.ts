// Readers that give up while one ask is made for several of them: what it was granted is given back.

import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { rwlockAcquireRead, rwlockReleaseRead } from '../../src/core/wire/scripts.generated.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { readLock, stored, writeLock } from '../support/kinds/locks.js';
import { keysUnder, randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { countedTraffic, quiet } from '../support/traffic.js';

const READERS = 20;
const { url } = await ownServer();
const raw = rawClient(url);

const isAsk = ([, script]: string[]): boolean => script === rwlockAcquireRead.sha1;

/** Readers of one client that wait, and whose next ask, which lets them in, is held on its way. */
async function stage({ isAnswerLost = false } = {}) {
  const name = randomName('leaving');
  await using holder = createClient({ redis: url });
  const hold = await holder.getReadWriteLock(name).writeLock.acquire();
  const traffic = await countedTraffic(url);
  const client = createClient({ redis: traffic.url });
  const lock = client.getReadWriteLock(name).readLock;
  const controller = new AbortController();
  const leaving = Array.from({ length: READERS }, async () => {
    return await rejection(lock.acquire({ signal: controller.signal }));
  });
  await quiet(traffic, client);
  const { sha1, source } = rwlockReleaseRead;
  const asked = traffic.proxy.holdRequests(isAsk);
  const lost = traffic.proxy.cutReplyAfter(isAsk, { times: isAnswerLost ? 1 : 0 });
  await raw.publish(writeLock.channel(name), '0');
  await eventually(() => asked.held.length > 0);
  const releases = (): number =>
    traffic.proxy.requests().filter(([, script]) => script === sha1 || script === source).length;
  await hold.release();
  const leave = async (): Promise<void> => {
    controller.abort();
    await Promise.all(leaving);
  };
  const tombstones = async (): Promise<string[]> =>
    (await keysUnder(name, raw)).filter((key) => key.startsWith('redlatch_cancelled'));
  return { name, client, lock, asked, lost, leave, releases, tombstones };
}

test.concurrent('all of them: one release takes back what the ask was granted behind their backs', async () => {
  const { name, client, asked, leave, releases, tombstones } = await stage();

  await leave();
  asked.release();
  await client.close();

  expect(await readLock.isFree(name, url)).toBe(true);
  expect([releases(), await tombstones()]).toEqual([1, []]);
});

test.concurrent('all but one: that one is in, and one release gives back the others', async () => {
  const { name, client, lock, asked, leave, releases, tombstones } = await stage();
  const staying = lock.acquire();

  await leave();
  asked.release();
  const hold = await staying;

  await eventually(async () => {
    expect(await stored(name, url)).toEqual({ [hold.holderId]: '1' });
  });
  expect([releases(), await tombstones()]).toEqual([1, []]);
  await hold.release();
  expect(await readLock.isFree(name, url)).toBe(true);
  await client.close();
});

test.concurrent('all but one, and the answer is lost: no late copy of the ask lets the others in', async () => {
  const all = await stage({ isAnswerLost: true });
  const { name, client, lock, asked, lost, leave, releases, tombstones } = all;
  const staying = lock.acquire();

  await leave();
  asked.release();
  const hold = await staying;

  await eventually(async () => {
    expect(await stored(name, url)).toEqual({ [hold.holderId]: '1' });
  });
  expect(lost.cut.length).toBe(1);
  expect([releases(), (await tombstones()).length]).toEqual([1, READERS]);
  await hold.release();
  expect(await readLock.isFree(name, url)).toBe(true);
  await client.close();
});
