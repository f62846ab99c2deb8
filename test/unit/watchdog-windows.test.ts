// Leases that were granted for a window, and their confirmation.

import { expect, test } from 'vitest';
import { HELD, LEASE_MS, stage } from '../support/watchdog-stage.js';

const WINDOW_MS = LEASE_MS / 3;

test('a grant for a window is confirmed at once', () => {
  const { asked, grant } = stage();

  const lease = grant('a', true, WINDOW_MS, true);
  asked[0]!.answer([HELD]);

  expect(asked.map(({ items, atOnce }) => [items[0]?.leaseMs, atOnce])).toEqual([[LEASE_MS, true]]);
  expect(lease.remainingMs).toBe(LEASE_MS * 0.99);
});

test('beyond the window it is suspect, until the answer proves it', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, WINDOW_MS, true);

  clock.freeze(WINDOW_MS);
  const states = [lease.state, lease.remainingMs];
  asked[0]!.answer([HELD]);

  expect(states).toEqual(['suspect', 0]);
  expect([lease.state, lease.remainingMs]).toEqual(['held', LEASE_MS * 0.99 - WINDOW_MS]);
});

test('beyond the window it is lost, as the answer says', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, WINDOW_MS, true);

  clock.freeze(WINDOW_MS);
  asked[0]!.answer([{ is: 'taken' }]);

  expect(lease.error).toMatchObject({ reason: 'taken' });
});

test('beyond the lease that the confirmation may prove it is lost', () => {
  const { clock, grant } = stage();
  const lease = grant('a', true, WINDOW_MS, true);

  clock.freeze(LEASE_MS * 0.99 - 1);
  const before = lease.state;
  clock.freeze(1);

  expect([before, lease.state]).toEqual(['suspect', 'lost']);
  expect(lease.error).toMatchObject({ reason: 'unproven' });
});

test('beyond the window it is lost when the connection of the confirmation has ended', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, WINDOW_MS, true);

  clock.freeze(WINDOW_MS);
  const before = lease.state;
  asked[0]!.fail();

  expect([before, lease.state]).toEqual(['suspect', 'lost']);
});
