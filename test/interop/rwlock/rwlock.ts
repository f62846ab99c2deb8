// A read-write lock as it is stored.

import { expect } from 'vitest';
import type { RwView } from '../../integration/rwlock/rwlock.js';

/** Lock and hold keys get their time one after the other, within one script. */
const APART_MS = 100;

/** Milliseconds left of the lock, which is at least what is left of any of its holds. */
export async function coveringMs(view: RwView): Promise<number> {
  const looking = view.raw.multi();
  for (const key of [view.name, ...(await view.holdKeys())]) {
    looking.pttl(key);
  }
  const [lockMs = 0, ...holdsMs] = ((await looking.exec()) ?? []).map(([, ms]) => Number(ms));
  expect(lockMs + APART_MS).toBeGreaterThanOrEqual(Math.max(...holdsMs));
  return lockMs;
}
