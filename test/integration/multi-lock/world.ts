// Several names of a test, and who has them.

import { expect } from 'vitest';
import type { MultiLock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { sharedClient } from '../../support/redis.js';

/** Which of its names somebody has. */
export async function held(lock: MultiLock): Promise<boolean[]> {
  return await Promise.all(
    lock.names.map(async (name) => (await sharedClient().exists(name)) === 1),
  );
}

/** Waits until so many stand in the line of a name. */
export async function waitsFor(name = '', count = 1): Promise<void> {
  await eventually(async () => {
    expect(await sharedClient().llen(`redlatch_line:{${name}}`)).toBe(count);
  });
}

/** What a call rejects with. */
export async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
}
