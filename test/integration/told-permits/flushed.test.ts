// A number of permits that is stated in code outlives a flush.

import { describe, expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import {
  configured,
  flush,
  isListening,
  kinds,
  lasting,
  left,
  stated,
  takes,
  type Kind,
} from './world.js';

const { client, name, raw } = fixture('told-flushed', lasting);

describe.each(kinds)('$kind', (kind) => {
  test('a single attempt makes what was flushed', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await flush(raw, id);

    await takes(kind, own, id, 5);

    expect(await left(id)).toBe(4);
  });

  test('a wait makes what was flushed, and is served at once', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await flush(raw, id);

    await kind.wait(own, id, undefined, 5);

    expect(await left(id)).toBe(4);
  });

  test('a wait that was there before the flush is served when it is made again', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    for (let i = 0; i < 5; i += 1) {
      await takes(kind, own, id, 5);
    }
    const waiting = kind.wait(own, id, undefined, 5);
    await isListening(raw, id);
    await flush(raw, id);

    expect(await kind.get(own, id, 5).availablePermits()).toBe(5);
    await waiting;

    expect(await left(id)).toBe(4);
  });

  // It takes up to five seconds: nothing else tells a waiter of a flush.
  test('a wait that was there before the flush makes it again by itself', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    for (let i = 0; i < 5; i += 1) {
      await takes(kind, own, id, 5);
    }
    const waiting = kind.wait(own, id, undefined, 5);
    await isListening(raw, id);
    await flush(raw, id);
    const flushedAt = performance.now();

    await waiting;

    expect(performance.now() - flushedAt).toBeLessThan(8_000);
    expect(await left(id)).toBe(4);
  });

  test('a look makes what was flushed', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await flush(raw, id);

    expect(await kind.get(own, id, 5).availablePermits()).toBe(5);

    expect(await left(id)).toBe(5);
  });

  test('permits are added to what was flushed', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await flush(raw, id);

    await kind.get(own, id, 5).addPermits(1);

    expect(await left(id)).toBe(6);
  });

  test('what ended by its ttlMs is made again, without one', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await kind.get(own, id, 5).delete();
    await kind.get(own, id, 5).trySetPermits(2, { ttlMs: 60 });
    await eventually(async () => (await raw.exists(id)) === 0);

    await takes(kind, own, id, 5);

    expect([await left(id), await raw.pttl(id)]).toEqual([4, -1]);
  });

  test('a client without a number makes nothing', async () => {
    const id = name();
    await stated(kind, client(), id);
    await flush(raw, id);

    expect(await kind.take(client(), id)).toBeNull();

    expect(await left(id)).toBeNull();
  });

  test('what Java has deleted is made again', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await raw.del(id, `{${id}}:timeout`);

    await takes(kind, own, id, 5);

    expect(await left(id)).toBe(4);
  });
});

describe('semaphore', () => {
  const [kind] = kinds as [Kind];
  const bare: [string, (semaphore: Semaphore) => Promise<unknown>, number][] = [
    ['a release without proof', async (semaphore) => await semaphore.release(), 5],
    ['drainPermits', async (semaphore) => await semaphore.drainPermits(), 0],
  ];

  test.each(bare)('%s makes what was flushed', async (_what, call, after) => {
    const id = name();
    const own = await stated(kind, client(), id);
    await flush(raw, id);

    await call(own.getSemaphore(id, { permits: 5 }));

    expect(await left(id)).toBe(after);
  });

  test('a number that somebody else has set since is reported once', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    const events = configured(own);
    await flush(raw, id);
    expect(await kind.take(client(), id)).toBeNull();
    await kind.get(client(), id).addPermits(1);

    await (
      await takes(kind, own, id, 5)
    )();
    await kind.get(own, id, 5).availablePermits();
    await (
      await takes(kind, own, id, 5)
    )();
    await kind.get(own, id, 5).availablePermits();

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 1, wanted: 5 }]);
  });

  test('a number that Java has set since is reported once, and the stated one is not', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    const events = configured(own);
    await flush(raw, id);
    await raw.set(id, 5);
    await takes(kind, own, id, 5);
    expect(events).toEqual([]);
    await flush(raw, id);
    await takes(kind, own, id, 5);
    await flush(raw, id);
    await raw.set(id, 9);

    for (let i = 0; i < 3; i += 1) {
      await takes(kind, own, id, 5);
    }

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 9, wanted: 5 }]);
  });

  test('permits that come back without proof after a flush are reported once', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    await own.getSemaphore(id, { permits: 5 }).acquire(5);
    const events = configured(own);
    await flush(raw, id);

    for (let i = 0; i < 5; i += 1) {
      await own.getSemaphore(id, { permits: 5 }).release();
    }

    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 6, wanted: 5 }]);
    expect(await left(id)).toBe(5);
  });

  test('a release that finds the semaphore gone lets a waiter make it again', async () => {
    const id = name();
    const own = await stated(kind, client(), id);
    const permits = await own.getSemaphore(id, { permits: 5 }).acquire(5);
    const waiting = own.getSemaphore(id, { permits: 5 }).acquire();
    await isListening(raw, id);
    await flush(raw, id);
    const releasedAt = performance.now();

    await permits.release();
    await waiting;

    // By itself it would look within five seconds.
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
    expect(await left(id)).toBe(4);
  });
});
