// Several names at once, here and in Java: each part is an ordinary lock, so they exclude each other.

import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('multi-lock');

test('a multi-lock of Node keeps a multi-lock of Java out, and single locks', async (context) => {
  const { name, java, node } = await open(context);
  const names = ['a', 'b', 'c'].map((word) => `${name}-${word}`);
  const hold = await node.getMultiLock(names).acquire();

  const together = await java.thread('one').call('multi.tryLock', name, { names });
  const some = await java.thread('one').call('multi.tryLock', name, { names: names.slice(1) });
  const single = await java.thread('one').call('lock.tryLock', names[1]!);
  await hold.release();
  const after = await java.thread('one').call('multi.tryLock', name, { names });
  await java.thread('one').call('multi.unlock', name, { names });

  expect([together, some, single, after]).toEqual([false, false, false, true]);
});

test('a multi-lock of Java keeps a multi-lock of Node out, which gets in after it', async (context) => {
  const { name, java, node, raw } = await open(context);
  const names = ['a', 'b', 'c'].map((word) => `${name}-${word}`);
  const lock = node.getMultiLock(names);
  const thread = java.thread('one');
  await thread.call('multi.lock', name, { names });

  const refused = await lock.tryAcquire();
  const held = await lock.holders();
  const acquiring = lock.acquire();
  await eventually(async () => (await raw.exists(`redlatch_line:{${lock.names[0]}}`)) === 1);
  await thread.call('multi.unlock', name, { names });
  const hold = await acquiring;

  const holderId = await thread.holderId();
  expect(refused).toBeNull();
  expect(held.map((holder) => holder.holderId)).toEqual([holderId, holderId, holderId]);
  expect(hold.isHeld).toBe(true);
  await hold.release();
});
