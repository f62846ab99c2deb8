// What is left of a lease, as a test may expect it.

import { expect } from 'vitest';

/** Matches the rest of a lease that began not long ago. */
export function leftOf(leaseMs: number): unknown {
  return expect.toSatisfy(
    (ms: number) => ms > leaseMs - 20_000 && ms <= leaseMs,
    `the rest of ${leaseMs} ms`,
  );
}
