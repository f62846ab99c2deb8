// What a waiter is told that never asked itself, since others of its client were before it.

import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';
import { listening } from '../../faults/world.js';

const { client, name } = fixture('behind');

test('a waiter behind another one of its client is told that the lock is held', async () => {
  const [holder, waiters, object] = [client(), client(), name()];
  const held = await holder.getLock(object).acquire();
  const first = waiters.getLock(object).acquire();
  await listening(object);

  const error = await rejection(waiters.getLock(object).acquire({ waitMs: 100 }));

  expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT', resource: object });
  await held.release();
  await (await first).release();
});
