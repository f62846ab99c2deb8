// Worker threads: each has a client of its own.

import { afterAll, expect, test } from 'vitest';
import { startWorker } from '../support/processes.js';
import { redisUrl } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('threads');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
});

test('threads exclude each other, and the lock of one that was terminated ends with its lease', async () => {
  const worker = startWorker('threads', { args: [redisUrl(), scope.name()] });
  const counted = await worker.message('counted');
  const succeeded = await worker.message('succeeded');

  expect(counted).toMatchObject({ codes: [0, 0], count: counted['of'] });
  // What is posted to a thread loses its methods: a hold goes to another one by `detach` and `adopt`.
  expect(succeeded).toMatchObject({ wasLocked: true, isHeld: true, methods: [0, 0] });
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});
