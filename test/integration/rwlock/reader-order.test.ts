// Readers of one client that wait behind each other, and writers that come later.

import { expect, test } from 'vitest';
import type { Hold, Lock } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('reader-order');

function setUp() {
  const view = new RwView(raw, name());
  const [holder, readers, writer] = [client(), client(), client()].map((each) =>
    each.getReadWriteLock(view.name),
  );
  return { view, holder: holder!, readers: readers!, writer: writer! };
}

/** A client knows when its readers asked as exactly as its first ask took. The function that is returned
 * waits, after further readers have come, for as long as that. */
function later(): (lock: Lock) => Promise<void> {
  const began = performance.now();
  return async (lock) => {
    const until = performance.now() + (performance.now() - began);
    do {
      await lock.isLocked();
    } while (performance.now() < until);
  };
}

test('a reader may wait inside for another one of its client that asked before a writer', async () => {
  const { view, holder, readers, writer } = setUp();
  const holding = await holder.writeLock.acquire();
  const order: string[] = [];
  let enter: (() => void) | undefined;
  const isIn = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const asked = later();
  const first = readers.readLock.using(async () => {
    await isIn;
    order.push('first');
  });
  await view.readersWait(1);
  const second = readers.readLock.using(() => {
    order.push('second');
    enter?.();
  });
  await asked(readers.readLock);
  const writing = writer.writeLock.using(() => order.push('writer'));
  await view.writersWait(1);

  await holding.release();
  await Promise.all([first, second, writing]);

  expect(order).toEqual(['second', 'first', 'writer']);
});

test('more readers than one command asks for get in before a writer that came later', async () => {
  const { view, holder, readers, writer } = setUp();
  const holding = await holder.writeLock.acquire();
  const asked = later();
  const first = readers.readLock.acquire();
  await view.readersWait(1);
  const reads = Array.from({ length: 600 }, async () => await readers.readLock.acquire());
  await asked(readers.readLock);
  let isWriting = false;
  const writing = writer.writeLock.using(() => {
    isWriting = true;
  });
  await view.writersWait(1);

  await holding.release();
  const holds: Hold[] = await Promise.all([first, ...reads]);

  expect(isWriting).toBe(false);
  await Promise.all(holds.map(async (hold) => await hold.release()));
  await writing;
});
