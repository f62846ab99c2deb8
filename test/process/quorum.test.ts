// Many contenders for one lock of a quorum, in many processes.

import { expect, test } from 'vitest';
import { promised } from '../support/broken-promise.js';
import type { WorkerMessage } from '../support/processes.js';
import { LEASE_MS, quorumOfFile } from '../support/quorum.js';
import { heard, startCrowd, tell } from './crowd.js';

const PROCESSES = 8;
const TASKS = 6;
const TIMES = 5;

const stage = await quorumOfFile('quorum-crowd');

test('forty-eight contenders in eight processes all get in, one after the other', async () => {
  const name = stage.name();
  const crowd = await startCrowd('quorum', PROCESSES, () => [
    JSON.stringify(stage.urls),
    LEASE_MS,
    name,
    TASKS,
    TIMES,
  ]);

  tell(crowd, { type: 'go' });
  const reports = await heard<WorkerMessage & { tokens: string[]; older: number }>(crowd, 'done', {
    withinMs: 20_000,
  });
  await Promise.all(crowd.map(async (worker) => await worker.exited));

  const total = PROCESSES * TASKS * TIMES;
  const counted = await stage.raw(0).get(`${name}:counter`);
  promised('no update is lost', () => {
    expect(counted).toBe(String(total));
  });
  expect(new Set(reports.flatMap(({ tokens }) => tokens)).size).toBe(total);
  // Each one came with a token that is larger than that of the one before it.
  expect(reports.map(({ older }) => older)).toEqual(reports.map(() => 0));
  await stage.raw(0).del(`${name}:counter`, `${name}:last`);
  await stage.expectNothingLeft();
});
