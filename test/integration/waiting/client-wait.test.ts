// The wait of the acquisitions that name none, as the client has it.

import { expect, test } from 'vitest';
import type { AcquireOptions } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { titled, type Entrance, type Kind } from '../../support/kinds/kind.js';
import { allKinds, allLasting } from '../../support/kinds/kinds.js';
import { INT32_MAX } from '../bad-input/bad-input.js';

const { client, name } = fixture('client-wait', allLasting);

/** Somebody of another client is in, and this one has a client that waits for so long. */
async function taken(
  kind: Kind,
  waitMs?: number,
): Promise<{ own: Entrance; end: () => Promise<void> }> {
  const key = name();
  const holder = await (await kind.create(client(), key)).acquire();
  const other = client({ waitMs });
  // Connected: what is not answered in a short wait is no contention.
  await other.getLock(name()).isLocked();
  return { own: kind.rival(other, key), end: async () => await holder.release() };
}

/** Whether it is settled before a wait of 60 ms that began after it. */
async function isOver(work: Promise<unknown>, own: Entrance): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  const later = rejection(own.acquire({ waitMs: 60 }));
  return await Promise.race([settled, later.then(() => false)]);
}

test.each(titled(allKinds))(
  'the wait of a client bounds acquire and using of a %s',
  async (_, kind) => {
    const { own, end } = await taken(kind, 400);

    const waiting = [own.acquire(), own.using(() => 'in'), own.acquire({ waitMs: undefined })];
    const errors = await Promise.all(waiting.map(async (one) => await rejection(one)));
    await end();

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
    }
  },
);

test.each(titled(allKinds))(
  'the wait of a client gives way to that of a call of a %s',
  async (_, kind) => {
    const { own, end } = await taken(kind, 1);

    const unlimited = own.using(() => 'in', { waitMs: INT32_MAX });
    const outlived = await isOver(unlimited, own);
    await end();

    expect(outlived).toBe(false);
    expect(await unlimited).toBe('in');
  },
);

test.each(titled(allKinds))(
  'the wait of a client says nothing to tryAcquire of a %s',
  async (_, kind) => {
    const { own, end } = await taken(kind, INT32_MAX);

    const tried: (AcquireOptions | undefined)[] = [undefined, {}, { waitMs: undefined }];
    const found = await Promise.all(tried.map(async (options) => await own.tryAcquire(options)));
    await end();

    expect(found).toEqual([null, null, null]);
  },
);

test('a wait of 0 makes acquire ask once', async () => {
  const key = name();
  const holder = await client().getLock(key).acquire();
  const own = client({ waitMs: 0 }).getLock(key);

  expect(await rejection(own.acquire())).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
  await holder.release();
  await (await own.acquire()).release();
});

test('the wait of a client bounds that of one branch for another one inside a hold', async () => {
  const own = client({ waitMs: 30 }).getLock(name());

  await own.using(async (hold) => {
    const inner = await own.acquire();
    const other = await rejection(own.acquire({ within: hold }));
    await inner.release();
    expect(other).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
  });
});

test('the wait of a client is not that of a latch', async () => {
  const own = client({ waitMs: 1 });
  const latch = own.getCountDownLatch(name());
  await latch.trySetCount(1);
  const key = name();
  const holder = await client().getLock(key).acquire();

  const waiting = latch.wait();
  const outlived = await isOver(waiting, own.getLock(key));
  await latch.countDown();
  await holder.release();

  expect(outlived).toBe(false);
  expect(await waiting).toBe(true);
  await eventually(async () => !(await own.getLock(key).isLocked()));
});
