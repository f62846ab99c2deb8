// A fair lock that was passed on inside its client is re-entered, and the re-entry is given up: the release
// that states what is alive names those to whom the lock was passed on.

import { expect, test } from 'vitest';
import { fairLockAcquire, fairLockRelease } from '../../../src/core/wire/scripts.generated.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';
import { toldOf } from '../../support/told.js';
import { countedTraffic } from '../../support/traffic.js';
import { FairView } from '../fair-lock/fair.js';

const { client, name, raw } = fixture('fair-reentry');

/** The second hold of a client to which the lock was handed, and a waiter of another client behind it. */
async function inTurn() {
  const view = new FairView(raw, name());
  const traffic = await countedTraffic(redisUrl());
  const [rival, own, other] = [client(), client({ redis: traffic.url }), client()];
  const held = await rival.getFairLock(view.name).acquire();
  const lock = own.getFairLock(view.name);
  const first = lock.using(() => undefined);
  await view.queued(1);
  const second = lock.acquire();
  await view.queued(2);
  const behind = other.getFairLock(view.name).acquire();
  await view.queued(3);
  await eventually(async () => (await toldOf(view.name, raw)) >= 3);
  await held.release();
  await first;
  const hold = await second;
  const isPassedOn = (await view.waiting()).length === 2;
  return { view, traffic, own, other, lock, hold, behind, isPassedOn };
}

/** The same, where the first hold was passed on, and a re-entry that is on its way. */
async function stage() {
  let all = await inTurn();
  while (!all.isPassedOn) {
    // The machine was busy for longer than a run lasts.
    await all.hold.release();
    await (await all.behind).release();
    all = await inTurn();
  }
  const { view, traffic, own, other, lock, hold, behind } = all;
  const { proxy } = traffic;
  const asked = proxy.holdRequests(([, script]) => script === fairLockAcquire.sha1);
  const controller = new AbortController();
  const inner = rejection(lock.acquire({ within: hold, signal: controller.signal }));
  await eventually(() => asked.held.length > 0);
  const giveUp = async (): Promise<void> => {
    controller.abort();
    await inner;
    asked.release();
  };
  const { sha1, source } = fairLockRelease;
  const releases = (): number =>
    proxy.requests().filter(([, script]) => script === sha1 || script === source).length;
  return { view, own, other, hold, behind, giveUp, releases };
}

test('while the hold goes on, they leave the queue, and the next one keeps its place', async () => {
  const { view, other, hold, behind, giveUp } = await stage();

  await giveUp();
  await eventually(async () => (await view.waiting()).length === 1);

  expect((await view.waiting())[0]).toContain(other.id);
  expect([hold.isHeld, hold.depth]).toEqual([true, 1]);
  await hold.release();
  await (await behind).release();
  expect(await raw.exists(view.name, view.queue, view.tickets)).toBe(0);
});

test('when the hold is released meanwhile, the lock goes to the next one at once', async () => {
  const { view, own, hold, behind, giveUp, releases } = await stage();

  const released = hold.release();
  await giveUp();
  await released;
  const next = await behind;

  expect(await raw.hkeys(view.name)).toEqual([next.holderId]);
  // One states what is alive, one that nothing is: nothing that was granted to nobody is given back.
  await own.close();
  expect(releases()).toBe(2);
  await next.release();
  expect(await raw.exists(view.name, view.queue, view.tickets)).toBe(0);
});
