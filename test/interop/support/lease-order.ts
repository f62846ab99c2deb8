// What the server's time says of two leases of one object: who was let in after whom.

import { expect } from 'vitest';
import type { Lease } from './leased-kinds.js';

/** The lease of whoever has waited: longer than a test may last. */
export const LONG_MS = 120_000;

/** For messages, and for a busy machine. */
const MARGIN_MS = 15_000;

/** The server tells time and TTL one after the other. */
const ROUNDING_MS = 50;

/** Whoever has the first lease now, of `LONG_MS`, was let in soon after the other one had ended. */
export function expectAfter(now: Lease, ended: Lease, what?: string): void {
  const grantedAt = now.endsAt - LONG_MS;
  expect(grantedAt, what).toBeGreaterThan(ended.endsAt - ROUNDING_MS);
  expect(grantedAt, what).toBeLessThan(ended.endsAt + MARGIN_MS);
}
