// Re-entry on both sides of a read-write lock, and from one to the other.

import { expect, test } from 'vitest';
import { DeadlockError, NotHeldError } from '../../../src/index.js';
import { fixture, gate, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-scopes');

function setUp() {
  const view = new RwView(raw, name());
  const lock = client().getReadWriteLock(view.name);
  return { ...lock, view };
}

test.each(['readLock', 'writeLock'] as const)('%s re-enters inside its scope', async (side) => {
  const { [side]: lock } = setUp();

  const seen = await lock.using(
    async (outer) =>
      await lock.using(async (inner) => ({
        depths: [outer.depth, inner.depth],
        same: outer.holderId === inner.holderId,
        onServer: await lock.holdCount(),
      })),
  );

  expect(seen).toEqual({ depths: [1, 2], same: true, onServer: 2 });
  expect(await lock.isLocked()).toBe(false);
});

test.each(['readLock', 'writeLock'] as const)('%s re-enters within a hold', async (side) => {
  const { [side]: lock, view } = setUp();
  const outer = await lock.acquire();

  const inner = await lock.tryAcquire({ within: outer });
  await outer.release();
  const between = await view.fields();
  await inner?.release();

  expect(inner).toMatchObject({ depth: 2, holderId: outer.holderId });
  expect(Object.keys(between)).toHaveLength(2);
  expect(await raw.exists(view.name)).toBe(0);
});

test('outside a scope a second write is somebody else', async () => {
  const { writeLock } = setUp();
  const hold = await writeLock.acquire();

  expect(await writeLock.tryAcquire()).toBeNull();
  await hold.release();
});

test('outside a scope a second read is another reader', async () => {
  const { readLock } = setUp();

  const [first, second] = [await readLock.acquire(), await readLock.acquire()];

  expect(second.holderId).not.toBe(first.holderId);
  expect(second.depth).toBe(1);
  await first.release();
  await second.release();
});

test('a writer reads inside its scope at once, under the same holder id', async () => {
  const { readLock, writeLock } = setUp();

  const seen = await writeLock.using(
    async (writing) =>
      await readLock.using(async (reading) => ({
        same: reading.holderId === writing.holderId,
        depth: reading.depth,
        counts: [await writeLock.holdCount(), await readLock.holdCount()],
      })),
  );

  expect(seen).toEqual({ same: true, depth: 1, counts: [1, 1] });
});

test('a writer reads within its hold, more than once', async () => {
  const { readLock, writeLock, view } = setUp();
  const writing = await writeLock.acquire();

  const first = await readLock.acquire({ within: writing });
  const second = await readLock.acquire({ within: first });
  const third = await readLock.acquire({ within: writing });

  expect(await view.fields()).toMatchObject({ [writing.holderId]: '3' });
  expect([first.depth, second.depth]).toEqual([1, 2]);
  for (const hold of [writing, third, second, first]) {
    await hold.release();
  }
  expect(await raw.exists(view.name)).toBe(0);
});

test('a writer that reads may write again inside both', async () => {
  const { readLock, writeLock } = setUp();

  const depth = await writeLock.using(
    async () =>
      await readLock.using(async () => await writeLock.using((innermost) => innermost.depth)),
  );

  expect(depth).toBe(2);
});

test('who releases the write lock first goes on reading, and keeps writers out', async () => {
  const { readLock, writeLock, view } = setUp();
  const other = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });

  const before = await other.readLock.tryAcquire();
  await writing.release();
  const [reader, writer] = [await other.readLock.tryAcquire(), await other.writeLock.tryAcquire()];

  expect(before).toBeNull();
  expect(reading.isHeld).toBe(true);
  expect(reader?.isHeld).toBe(true);
  expect(writer).toBeNull();
  await reader?.release();
  await reading.release();
  const last = await other.writeLock.tryAcquire();
  expect(last?.isHeld).toBe(true);
  await last?.release();
});

test('R4: a reader that asks to write in its scope is refused at once', async () => {
  const { readLock, writeLock, view } = setUp();

  const errors = await readLock.using(async () => [
    await rejection(writeLock.acquire()),
    await rejection(writeLock.tryAcquire()),
    await rejection(writeLock.using(() => undefined)),
  ]);

  expect(errors.map((error) => error instanceof DeadlockError)).toEqual([true, true, true]);
  expect(errors[0]).toMatchObject({ code: 'ERR_DEADLOCK', resource: view.name });
  const hold = await writeLock.tryAcquire();
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

test('R4: a reader that asks to write within its hold is refused at once', async () => {
  const { readLock, writeLock } = setUp();
  const reading = await readLock.acquire();

  const error = await rejection(writeLock.acquire({ within: reading }));

  expect(error).toBeInstanceOf(DeadlockError);
  expect(reading.isHeld).toBe(true);
  await reading.release();
});

test('R4: after a downgrade writing again is refused like any upgrade', async () => {
  const { readLock, writeLock } = setUp();
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });
  await writing.release();

  const inScope = await reading.run(async () => await rejection(writeLock.acquire()));
  const within = await rejection(writeLock.acquire({ within: reading }));

  expect(inScope).toBeInstanceOf(DeadlockError);
  expect(within).toBeInstanceOf(DeadlockError);
  await reading.release();
});

test('a writer that has downgraded reads again inside its read scope', async () => {
  const { readLock, writeLock, view } = setUp();
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });
  await writing.release();

  const seen = await reading.run(async () => await readLock.using(async () => await view.fields()));

  expect(seen).toEqual({ mode: 'read', [reading.holderId]: '2' });
  await reading.release();
});

test('parallel reads in one reader’s scope do not exclude each other', async () => {
  const { readLock, view } = setUp();
  const door = gate();
  let inside = 0;

  await readLock.using(async () => {
    const branches = [1, 2, 3].map(async () => {
      await readLock.using(async () => {
        inside += 1;
        await door.opened;
      });
    });
    await eventually(() => inside === 3);
    door.open();
    await Promise.all(branches);
  });

  expect(inside).toBe(3);
  expect(await raw.exists(view.name, view.readers)).toBe(0);
  expect(await view.holdKeys()).toEqual([]);
});

test('parallel writes in one writer’s scope exclude each other', async () => {
  const { writeLock } = setUp();
  const inside = { now: 0, most: 0 };

  await writeLock.using(async () => {
    const branches = [1, 2, 3].map(async () => {
      await writeLock.using(async () => {
        inside.now += 1;
        inside.most = Math.max(inside.most, inside.now);
        await writeLock.isLocked();
        inside.now -= 1;
      });
    });
    await Promise.all(branches);
  });

  expect(inside.most).toBe(1);
});

test('parallel reads in a writer’s scope do not exclude each other', async () => {
  const { readLock, writeLock } = setUp();
  const door = gate();
  let inside = 0;

  await writeLock.using(async () => {
    const branches = [1, 2, 3].map(async () => {
      await readLock.using(async () => {
        inside += 1;
        await door.opened;
      });
    });
    await eventually(() => inside === 3);
    door.open();
    await Promise.all(branches);
  });

  expect(inside).toBe(3);
  expect(await writeLock.isLocked()).toBe(false);
});

test('a hold of another lock or another client is no hold to be within', async () => {
  const { readLock, view } = setUp();
  const stranger = client();
  const theirs = await stranger.getReadWriteLock(view.name).readLock.acquire();
  const elsewhere = await stranger.getReadWriteLock(name()).writeLock.acquire();
  const released = await readLock.acquire();
  await released.release();

  for (const within of [theirs, elsewhere, released]) {
    expect(await rejection(readLock.acquire({ within }))).toBeInstanceOf(NotHeldError);
  }

  await theirs.release();
  await elsewhere.release();
});
