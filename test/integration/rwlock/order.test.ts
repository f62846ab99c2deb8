// Readers and writers wait for each other in the order in which they came; neither side starves.

import { expect, test } from 'vitest';
import type { Lock } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startWorker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { BEAT_MS, DEAD_WRITER, RwView } from './rwlock.js';
import { randomFrom } from '../../../scripts/lib/random.mjs';
import { seed } from '../../support/seed.js';

const random = randomFrom(seed);

const { client, name, raw } = fixture('rwlock-order');
/** Clearly before anybody asks again of its own accord. */
const AT_ONCE_MS = BEAT_MS / 2;

function sidesOf(lockName: string) {
  return client().getReadWriteLock(lockName);
}

async function moment(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 1 + random() * 3);
  });
}

/** Changes while others run, which a plain flag would not tell the compiler. */
function isAsking(own: { readonly isIn: boolean }): boolean {
  return !own.isIn;
}

test('R3: no reader that asks after a writer stands in line gets in before it', async () => {
  const view = new RwView(raw, name());
  /** Writes that stand in line. */
  const inLine = new Set<string>();
  const count = { reads: 0, writes: 0, seen: 0, inversions: 0 };
  const readGreedily = async (lock: Lock): Promise<void> => {
    while (count.writes < 20) {
      const before = [...inLine];
      await lock.using(async () => {
        count.reads += 1;
        count.inversions += before.filter((write) => inLine.has(write)).length;
        await moment();
      });
    }
  };
  const writeTen = async (): Promise<void> => {
    const writer = client();
    const { writeLock } = writer.getReadWriteLock(view.name);
    for (let i = 0; i < 10; i += 1) {
      const write = `${writer.id}-${i}`;
      const own = { isIn: false };
      const writes = writeLock.using(async () => {
        own.isIn = true;
        inLine.delete(write);
        await moment();
        count.writes += 1;
      });
      while (isAsking(own) && !inLine.has(write)) {
        const waiting = await raw.zrange(view.writers, '0', '-1');
        if (isAsking(own) && waiting.some((member) => member.startsWith(writer.id))) {
          inLine.add(write);
          count.seen += 1;
        }
      }
      await writes;
    }
  };
  const readers = [sidesOf(view.name), sidesOf(view.name)].flatMap(({ readLock }) =>
    [1, 2, 3, 4].map(async () => await readGreedily(readLock)),
  );

  await Promise.all([writeTen(), writeTen(), ...readers]);

  expect(count).toMatchObject({ writes: 20, inversions: 0 });
  expect(count.seen).toBeGreaterThan(5);
  expect(count.reads).toBeGreaterThan(20);
});

test('two greedy writers let a reader in after one more writer each at most', async () => {
  const view = new RwView(raw, name());
  const state = { over: false, writes: 0 };
  const writers = [sidesOf(view.name), sidesOf(view.name)].map(async ({ writeLock }) => {
    while (!state.over) {
      await writeLock.using(async () => {
        state.writes += 1;
        await moment();
      });
    }
  });
  const reader = client();
  const { readLock } = reader.getReadWriteLock(view.name);
  const passed: number[] = [];

  for (let i = 0; i < 20; i += 1) {
    let before: number | undefined;
    const own = { isIn: false };
    const reads = readLock.using(() => {
      own.isIn = true;
      passed.push(before === undefined ? 0 : state.writes - before);
    });
    while (isAsking(own) && before === undefined) {
      const place = await raw.zscore(view.waiting, reader.id);
      before = place === null ? undefined : state.writes;
    }
    await reads;
  }
  state.over = true;
  await Promise.all(writers);

  expect(passed).toHaveLength(20);
  expect(Math.max(...passed)).toBeLessThanOrEqual(2);
});

test('a read outside every scope waits behind a waiting writer, one inside does not', async () => {
  const { readLock } = sidesOf(name());
  const view = new RwView(raw, readLock.name);
  const reading = await readLock.acquire();
  const writes = sidesOf(view.name).writeLock.acquire();
  await view.writersWait(1);

  const outside = await readLock.tryAcquire();
  const inside = await reading.run(async () => await readLock.tryAcquire());
  const within = await readLock.tryAcquire({ within: reading });
  const elsewhere = await sidesOf(view.name).readLock.tryAcquire();

  expect([outside, elsewhere]).toEqual([null, null]);
  expect([inside?.depth, within?.depth]).toEqual([2, 2]);
  for (const hold of [within, inside, reading]) {
    await hold?.release();
  }
  const writing = await writes;
  expect(writing.isHeld).toBe(true);
  await writing.release();
});

test('a second read waits until the writer that came before it has written', async () => {
  const { readLock } = sidesOf(name());
  const view = new RwView(raw, readLock.name);
  const reading = await readLock.acquire();
  const events: string[] = [];
  const writes = sidesOf(view.name).writeLock.using(() => void events.push('write'));
  await view.writersWait(1);
  const reads = readLock.using(() => void events.push('read'));
  await view.readersWait(1);

  await reading.release();
  await Promise.all([writes, reads]);

  expect(events).toEqual(['write', 'read']);
});

test('a writer that came after a waiting reader lets it in first', async () => {
  const view = new RwView(raw, name());
  const writing = await sidesOf(view.name).writeLock.acquire();
  const events: string[] = [];
  const reads = sidesOf(view.name).readLock.using(() => void events.push('read'));
  await view.readersWait(1);
  const writes = sidesOf(view.name).writeLock.using(() => void events.push('write'));
  await view.writersWait(1);

  await writing.release();
  await Promise.all([reads, writes]);

  expect(events).toEqual(['read', 'write']);
});

test('a writer that has not been heard of for four seconds keeps no reader out', async () => {
  const view = new RwView(raw, name());
  const reading = await sidesOf(view.name).readLock.acquire();
  await view.intend(4_000, DEAD_WRITER);

  const hold = await sidesOf(view.name).readLock.tryAcquire();

  expect(hold?.isHeld).toBe(true);
  expect(await raw.exists(view.writers, view.beats)).toBe(0);
  await hold?.release();
  await reading.release();
});

test('fifty dead writers keep readers out no longer than one', async () => {
  const view = new RwView(raw, name());
  const reading = await sidesOf(view.name).readLock.acquire();
  const start = performance.now();
  await view.intend(3_000, ...Array.from({ length: 50 }, (_, i) => `${DEAD_WRITER}${i}`));

  const refused = await sidesOf(view.name).readLock.tryAcquire();
  const hold = await sidesOf(view.name).readLock.acquire({ waitMs: 10_000 });

  expect(refused).toBeNull();
  expect(performance.now() - start).toBeLessThan(2_500);
  expect(await raw.exists(view.writers, view.beats)).toBe(0);
  await hold.release();
  await reading.release();
});

test('a writer that is killed while it waits keeps no reader out', async () => {
  const view = new RwView(raw, name());
  const reading = await sidesOf(view.name).readLock.acquire();
  const worker = startWorker('rwlock', { args: [redisUrl(), view.name, 'writeLock'] });
  const [writer = ''] = await view.writersWait(1);
  await view.listened(1);
  await worker.kill('SIGKILL');
  await eventually(
    async () => (await raw.pubsub('NUMSUB', `redlatch:${writer.slice(0, 36)}`))[1] === 0,
  );

  const hold = await sidesOf(view.name).readLock.tryAcquire();

  expect(hold?.isHeld).toBe(true);
  await hold?.release();
  await reading.release();
  await raw.unlink(view.writers, view.beats, view.tickets);
});

test('a waiting writer that is aborted lets readers in at once', async () => {
  const view = new RwView(raw, name());
  const reading = await sidesOf(view.name).readLock.acquire();
  const controller = new AbortController();
  const { writeLock } = sidesOf(view.name);
  const writes = writeLock.acquire({ signal: controller.signal }).catch(() => undefined);
  await view.writersWait(1);
  const reads = [sidesOf(view.name), sidesOf(view.name)].map(({ readLock }) => readLock.acquire());
  await view.readersWait(2);

  const start = performance.now();
  controller.abort();
  const holds = await Promise.all([writes, ...reads]);

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  for (const hold of [...holds, reading]) {
    await hold?.release();
  }
});

test('a waiting reader that is aborted keeps no writer out', async () => {
  const view = new RwView(raw, name());
  const writing = await sidesOf(view.name).writeLock.acquire();
  const controller = new AbortController();
  const { readLock } = sidesOf(view.name);
  const reads = readLock.acquire({ signal: controller.signal }).catch(() => undefined);
  await view.readersWait(1);
  const writes = sidesOf(view.name).writeLock.acquire();
  await view.writersWait(1);
  await view.listened(2);

  controller.abort();
  await reads;
  const start = performance.now();
  await writing.release();
  const hold = await writes;

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await hold.release();
});

test('a reader aborted before its first answer leaves no place in line', async () => {
  const view = new RwView(raw, name());
  const writing = await sidesOf(view.name).writeLock.acquire();
  const { readLock } = sidesOf(view.name);
  await readLock.isLocked();

  const controller = new AbortController();
  const reads = readLock.acquire({ signal: controller.signal }).catch(() => undefined);
  controller.abort();
  await reads;
  const writes = sidesOf(view.name).writeLock.acquire();
  await view.writersWait(1);
  await view.listened(1);
  const start = performance.now();
  await writing.release();
  const hold = await writes;

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await hold.release();
  expect(await raw.exists(view.waiting, view.beats)).toBe(0);
});
