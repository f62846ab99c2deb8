// A signal that aborts in the middle of the call it is given to, as the computed signal of a hold may.

import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';

const { client, name } = fixture('signal-races');

/** Not aborted when it is looked at first, and aborted right after. */
function aborting(): AbortSignal {
  const controller = new AbortController();
  Object.defineProperty(controller.signal, 'throwIfAborted', {
    value: () => controller.abort(new Error('just now')),
  });
  return controller.signal;
}

test('a signal that aborts while a call begins ends it', async () => {
  const other = client();
  const [lock, gate, seats, latch] = [name(), name(), name(), name()];
  const held = await other.getLock(lock).acquire();
  await other.getCountDownLatch(latch).trySetCount(1);
  const mine = client();

  const outcomes = await Promise.all([
    rejection(mine.getLock(lock).acquire({ signal: aborting() })),
    rejection(mine.getSemaphore(gate).acquire(1, { signal: aborting() })),
    rejection(mine.getPermitExpirableSemaphore(seats).acquire({ signal: aborting() })),
    rejection(mine.getCountDownLatch(latch).wait({ signal: aborting() })),
  ]);

  expect(outcomes.map(String)).toEqual(outcomes.map(() => 'Error: just now'));
  await held.release();
  await other.getCountDownLatch(latch).delete();
});
