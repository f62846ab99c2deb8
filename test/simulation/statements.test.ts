// Numbers of permits with `set`, which processes of two versions declare: in virtual time.

import { describe, expect, test } from 'vitest';
import type { PermitExpirableSemaphore } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

const MINUTE_MS = 60_000;
/** A statement that nobody has kept alive for so long gives way. */
const KEPT_ALIVE_MS = 5 * MINUTE_MS;

/** Processes of which each declares a number, in the order of their first use. */
async function deployment() {
  const { world, finish } = await steadyWorld(lua);
  const told: number[][] = [];
  let processes = 0;
  return {
    told,
    passes: async (ms: number) => await world.timeline.run(world.timeline.now + ms),
    /** A process that starts: what it finds when it has used the semaphore. */
    starts: (count: number) => {
      const { client } = world.clients[processes]!;
      processes += 1;
      const own: number[] = [];
      told.push(own);
      client.on('configured', ({ permits }) => own.push(permits));
      const permits = { count, onMismatch: 'set' } as const;
      return client.getPermitExpirableSemaphore(OBJECT, { permits });
    },
    use: async (semaphore: PermitExpirableSemaphore) => {
      const permit = await finish(semaphore.acquire());
      await finish(permit.release());
    },
    total: async (semaphore: PermitExpirableSemaphore) => await finish(semaphore.totalPermits()),
    setPermits: async (semaphore: PermitExpirableSemaphore, count: number) =>
      await finish(semaphore.setPermits(count)),
    remove: async (semaphore: PermitExpirableSemaphore) => await finish(semaphore.delete()),
    ofStatements: () =>
      world.host.server.keyspace.keys().filter((key) => key.startsWith('redlatch_statements:')),
  };
}

describe('a rolling deploy', () => {
  test('an old process that restarts in it does not set its number again', async () => {
    const { starts, use, total, passes, told } = await deployment();
    const old = starts(5);
    await use(old);
    await passes(10 * MINUTE_MS);
    await use(old);
    const next = starts(7);
    await use(next);
    await use(old);

    const restarted = starts(5);
    await use(restarted);

    expect(await total(next)).toBe(7);
    // The old ones are told of it, once.
    expect(told).toEqual([[7], [], [7]]);
    for (let i = 0; i < 10; i += 1) {
      await passes(MINUTE_MS);
      await Promise.all([use(old), use(next), use(restarted)]);
    }
    expect(await total(next)).toBe(7);
    expect(told).toEqual([[7], [], [7]]);
  });

  test('one that restarts hours later, when no old process has used it meanwhile, neither', async () => {
    const { starts, use, total, passes } = await deployment();
    await use(starts(5));
    await passes(1_000);
    const next = starts(7);
    for (let i = 0; i < 60; i += 1) {
      await use(next);
      await passes(2 * MINUTE_MS);
    }

    await use(starts(5));

    expect(await total(next)).toBe(7);
  });
});

describe('a number that nobody has used for a day', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  /** The old version was used a day ago, and the next one since. */
  async function dayLater() {
    const all = await deployment();
    const { starts, use, passes } = all;
    const old = starts(5);
    await use(old);
    await passes(1_000);
    const next = starts(7);
    for (let i = 0; i < 6; i += 1) {
      await use(next);
      await passes(5 * HOUR_MS);
    }
    await use(next);
    return { ...all, old, next };
  }

  test('is stated for the first time by a process that starts with it', async () => {
    const { starts, use, total, next } = await dayLater();

    await use(starts(5));

    expect(await total(next)).toBe(5);
  });

  test('does not come back with a process that has stated it then', async () => {
    const { use, total, passes, old, next } = await dayLater();

    for (let i = 0; i < 3; i += 1) {
      await use(old);
      await passes(MINUTE_MS);
      await use(next);
    }

    expect(await total(next)).toBe(7);
  });
});

describe('a roll-back', () => {
  test('works without a hand: five minutes after the last use of the new version', async () => {
    const { starts, use, total, passes, told } = await deployment();
    await use(starts(5));
    await passes(1_000);
    const next = starts(7);
    await use(next);
    await passes(MINUTE_MS);
    await use(next);
    const back = starts(5);
    await use(back);
    expect(await total(back)).toBe(7);

    await passes(KEPT_ALIVE_MS - 1_000);
    const before = await total(back);
    await passes(1_010);
    await use(back);

    expect([before, await total(back)]).toEqual([7, 5]);
    expect(told).toEqual([[], [], [7]]);
  });

  test('works where no old process starts anew: those that run set their number again', async () => {
    const { starts, use, total, passes, told } = await deployment();
    const old = starts(5);
    await use(old);
    await passes(10 * MINUTE_MS);
    await use(old);
    const canary = starts(7);
    for (let i = 0; i < 3; i += 1) {
      await Promise.all([use(canary), use(old)]);
      await passes(MINUTE_MS);
    }
    const stoppedMs = 2 * MINUTE_MS;
    await use(old);
    expect(await total(old)).toBe(7);

    for (let ms = MINUTE_MS; ms <= KEPT_ALIVE_MS - stoppedMs + 2 * MINUTE_MS; ms += MINUTE_MS) {
      await passes(MINUTE_MS);
      await use(old);
    }

    expect(await total(old)).toBe(5);
    expect(told).toEqual([[7], []]);
  });

  test('works where the old processes were not used for longer than that', async () => {
    const { starts, use, total, passes } = await deployment();
    const old = starts(5);
    await use(old);
    await passes(1_000);
    await use(starts(7));
    await passes(2 * KEPT_ALIVE_MS);

    await use(old);
    await passes(1);
    await use(old);

    expect(await total(old)).toBe(5);
  });

  test('leaves a number that was set by hand for five minutes', async () => {
    const { starts, use, total, passes, setPermits } = await deployment();
    const [old, next] = [starts(5), starts(7)];
    await use(old);
    await passes(1_000);
    await use(next);
    await setPermits(old, 9);
    const totals: number[] = [];

    for (let i = 0; i < 7; i += 1) {
      await passes(MINUTE_MS);
      await Promise.all([use(old), use(next)]);
      totals.push(await total(old));
    }

    expect(totals).toEqual([9, 9, 9, 9, 7, 7, 7]);
  });

  test('a process that starts after that sets its number with its first use', async () => {
    const { starts, use, total, passes } = await deployment();
    await use(starts(5));
    await passes(1_000);
    await use(starts(7));
    await passes(KEPT_ALIVE_MS + 10);

    expect(await total(starts(5))).toBe(5);
  });

  test('the new version sets its number at once when it is deployed again', async () => {
    const { starts, use, total, passes } = await deployment();
    await use(starts(5));
    await passes(1_000);
    await use(starts(7));
    await passes(KEPT_ALIVE_MS + 10);
    await use(starts(5));
    await passes(1_000);

    expect(await total(starts(7))).toBe(7);
  });

  test('the new version does so also where a process of it was not used for five minutes', async () => {
    const { starts, use, total, passes, told } = await deployment();
    const old = starts(5);
    await use(old);
    await passes(1_000);
    const canary = starts(7);
    await use(canary);
    for (let i = 0; i < 7; i += 1) {
      await passes(MINUTE_MS);
      await use(old);
    }
    expect(await total(old)).toBe(5);
    for (let i = 0; i < 3; i += 1) {
      await Promise.all([use(old), use(canary)]);
      await passes(MINUTE_MS);
    }
    expect(await total(old)).toBe(5);
    expect(told).toEqual([[7], [5]]);

    expect(await total(starts(7))).toBe(7);
  });

  test('setPermits does it at once, and a new process that still runs does not undo it', async () => {
    const { starts, use, total, passes, setPermits, told } = await deployment();
    const old = starts(5);
    await use(old);
    await passes(1_000);
    const next = starts(7);
    await use(next);

    await setPermits(old, 5);
    await passes(1_000);
    await use(starts(7));
    await passes(MINUTE_MS);
    await use(next);

    expect(await total(old)).toBe(5);
    expect(told).toEqual([[], [5], [5]]);
  });
});

test('where there is no semaphore, an older statement makes it with the newer number', async () => {
  const { starts, use, total, passes, remove } = await deployment();
  const old = starts(5);
  await use(old);
  await passes(1_000);
  const next = starts(7);
  await use(next);
  await remove(next);

  expect(await total(starts(5))).toBe(7);
});

test('statements are known for a day', async () => {
  const { starts, use, passes, ofStatements } = await deployment();
  await use(starts(5));
  expect(ofStatements()).toHaveLength(1);

  await passes(24 * 60 * MINUTE_MS + 10);

  expect(ofStatements()).toEqual([]);
});
