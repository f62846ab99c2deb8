// Under the fake timers and clocks of test runners, which replace globals at any time, the library works.

import { expect, test } from 'vitest';
import { redisUrl, runPrefix } from '../support/redis.js';
import { runRunner } from './run-runner.js';

test('a lock is granted, renewed and handed on under the fakes of Jest, in Node and in jsdom', async () => {
  const run = await runRunner('jest', runPrefix(), redisUrl());

  expect(run).toEqual({ passed: 4, failed: [] });
});

test('a lock is granted, renewed and handed on under the fakes of Vitest, in Node and in jsdom', async () => {
  const run = await runRunner('vitest', runPrefix(), redisUrl());

  expect(run).toEqual({ passed: 3, failed: [] });
});
