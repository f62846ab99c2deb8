// A lock of a quorum that goes from hold to hold inside its client.

import { expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-runs');

const WAITERS = 8;

test('a lock goes to the next waiter of its client without a command', async () => {
  const client = await stage.connected();
  for (const lock of [
    client.getLock(stage.name()),
    client.getMultiLock([stage.name(), stage.name()]),
  ]) {
    // A run is short: on a busy machine it may be over before the next waiter is there.
    await eventually(async () => {
      let inside = 0;
      const ids = await Promise.all(
        Array.from({ length: WAITERS }, async () => {
          await using hold = await lock.acquire();
          inside += 1;
          expect(inside).toBe(1);
          await Promise.resolve();
          expect(hold.isHeld).toBe(true);
          inside -= 1;
          return hold.holderId;
        }),
      );
      return new Set(ids).size <= WAITERS / 2;
    });
    expect(await lock.isLocked()).toBe(false);
  }
});

test('others get in while a client always has waiters', async () => {
  const [busy, other] = [await stage.connected(), await stage.connected()];
  const name = stage.name();
  const over = new AbortController();
  const loops = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      await busy.getLock(name).using(() => {});
    }
  });
  for (let turn = 0; turn < 5; turn++) {
    await other.getLock(name).using(() => {}, { waitMs: 10_000 });
  }
  over.abort();
  await Promise.all(loops);
});

test('fenced locks, fixed leases and bounded holds are asked for, not passed on', async () => {
  const client = await stage.connected();
  const fenced = client.getFencedLock(stage.name());
  const tokens = await Promise.all(
    Array.from({ length: WAITERS }, async () => await fenced.using((hold) => hold.fencingToken)),
  );
  expect(new Set(tokens).size).toBe(WAITERS);

  const lock = client.getLock(stage.name());
  // Some of the runs are over before the next waiter is there.
  for (let turn = 0; turn < 10; turn++) {
    const ids: string[] = [];
    let hold = await lock.acquire();
    for (const options of [{ leaseMs: 1_000 }, {}, { maxHoldMs: 60_000 }, {}]) {
      const waiting = lock.acquire(options);
      await lock.isLocked();
      ids.push(hold.holderId);
      await hold.release();
      hold = await waiting;
      expect(hold.remainingMs).toBeLessThanOrEqual(options.leaseMs ?? Infinity);
    }
    ids.push(hold.holderId);
    await hold.release();
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test('a waiter that gives up as the hold ends takes nothing', async () => {
  const client = await stage.connected();
  const name = stage.name();
  const lock = client.getLock(name);
  for (let turn = 0; turn < 10; turn++) {
    const over = new AbortController();
    const hold = await lock.acquire();
    const waiting = lock.acquire({ signal: over.signal }).catch(() => 'gave up');
    await lock.isLocked();
    over.abort();
    await hold.release();

    expect(await waiting).toBe('gave up');
    await eventually(async () => (await stage.holders(name)).flat().length === 0);
    await using again = await lock.tryAcquire();
    expect(again?.isHeld).toBe(true);
  }
});

test.each([
  ['behind the release', async (hold: Hold) => await hold.release()],
  ['beside the release', (hold: Hold) => void hold.release().catch(() => {})],
])('a client that closes %s leaves nothing', async (_, release) => {
  for (let turn = 0; turn < 3; turn++) {
    const client = await stage.connected();
    const name = stage.name();
    const lock = client.getLock(name);
    const hold = await lock.acquire();
    const waiting = lock.acquire().catch(() => undefined);
    await lock.isLocked();
    await release(hold);
    await client.close();

    expect((await waiting)?.isHeld ?? false).toBe(false);
    await eventually(async () => (await stage.holders(name)).flat().length === 0);
  }
});

test('a hold that was passed on is lost with its claim, though it was released', async () => {
  const client = await stage.connected();
  const lock = client.getLock(stage.name());
  const lost: unknown[] = [];
  client.on('lost', ({ holderId }) => lost.push(holderId));
  await eventually(async () => {
    const first = await lock.acquire();
    const waiting = lock.acquire();
    await lock.isLocked();
    // Nobody has noticed it yet.
    await Promise.all([0, 1, 2].map(async (place) => await stage.raw(place).del(lock.name)));
    await first.release().catch(() => {});
    const second = await waiting;
    await second.release().catch(() => {});
    const isPassed = second.holderId === first.holderId;
    expect(isPassed && first.state !== second.state).toBe(false);
    return isPassed && lost.filter((id) => id === first.holderId).length === 2;
  });
});

test('what was passed on is lost as any other hold', async () => {
  const client = await stage.connected();
  const lock = client.getLock(stage.name());
  const passed = await eventually(async () => {
    const first = await lock.acquire();
    const waiting = lock.acquire();
    // It stands in the line by the answer.
    await lock.isLocked();
    await first.release();
    const second = await waiting;
    if (second.holderId === first.holderId) {
      return second;
    }
    await second.release();
    return null;
  });
  await lock.forceRelease();
  await eventually(() => passed.state === 'lost');
  await expect(passed.release()).rejects.toThrow(/was lost/u);
});
