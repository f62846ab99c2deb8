// Leases whose holder has a bound.

import { expect, test } from 'vitest';
import { HELD, LEASE_MS, stage } from '../support/watchdog-stage.js';

const PERIOD_MS = LEASE_MS / 3;
/** Kept back of the last term. */
const MARGIN_MS = LEASE_MS / 100;

test('each renewal is cut to the bound, and the lease ends there as expired', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, LEASE_MS, false, 1.5 * LEASE_MS);

  for (let round = 1; round <= 4; round += 1) {
    clock.advance(PERIOD_MS);
    asked.at(-1)!.answer([HELD]);
  }
  const before = lease.state;
  clock.advance(PERIOD_MS / 2);

  const terms = asked.map(({ items }) => items[0]!.leaseMs);
  expect(terms).toEqual([LEASE_MS, 2_500, 1_500, 500]);
  expect([before, lease.state]).toEqual(['held', 'lost']);
  expect(lease.error).toMatchObject({ reason: 'expired' });
});

test('one that could not be renewed before its bound is unproven', () => {
  const { clock, grant } = stage();
  const lease = grant('a', true, LEASE_MS, false, 2 * LEASE_MS);

  clock.advance(LEASE_MS);

  expect(lease.error).toMatchObject({ reason: 'unproven' });
});

test('no proof makes it last beyond its bound, and the server may keep it then', () => {
  const { clock, grant } = stage();
  const lease = grant('a', true, LEASE_MS, false, LEASE_MS / 2);

  lease.prove(clock.now(), 10 * LEASE_MS);
  const proven = [lease.remainingMs, lease.boundMs, lease.mayOutlast];
  clock.advance(LEASE_MS / 2);

  expect(proven).toEqual([LEASE_MS / 2, LEASE_MS / 2, true]);
  expect(lease.error).toMatchObject({ reason: 'expired' });
});

test('a first lease that ends with its bound is not renewed early', () => {
  const { asked, grant } = stage();

  grant('a', true, PERIOD_MS / 2, false, PERIOD_MS / 2);

  expect(asked).toEqual([]);
});

test('a grant for a window is confirmed up to its bound, and open no longer', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, LEASE_MS / 3, true, LEASE_MS / 2);
  const terms = asked.map(({ items }) => items[0]!.leaseMs);

  clock.freeze(LEASE_MS / 3);
  const beyondWindow = lease.state;
  clock.freeze(LEASE_MS / 6);

  expect(terms).toEqual([LEASE_MS / 2]);
  expect([beyondWindow, lease.state]).toEqual(['suspect', 'lost']);
  expect(lease.error).toMatchObject({ reason: 'expired' });
});

test('a step of the clock beyond the bound ends it', () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a', true, LEASE_MS, false, LEASE_MS);

  clock.step(2 * LEASE_MS);

  expect(lease.state).toBe('lost');
  expect(asked).toEqual([]);
});

test('the earliest bound of its holders counts, while they are there', () => {
  const { clock, grant } = stage();
  const lease = grant('a', true, LEASE_MS, false, 5 * LEASE_MS);
  const others = [2_000, 1_000].map((ms) => ({ renewed: true, lost: () => {}, ms }));
  for (const other of others) {
    lease.add(other);
    lease.bind(other, other.ms, clock.now());
  }

  const bounds = [lease.boundMs];
  for (const other of others.toReversed()) {
    lease.remove(other);
    bounds.push(lease.boundMs);
  }

  expect(bounds).toEqual([1_000, 2_000, 5 * LEASE_MS]);
});

test('the bound of one side of a lock is that of the other side', () => {
  const { clock, grant } = stage();
  const [write, read] = [grant('write'), grant('read')];
  write.companion = read;
  read.main = write;
  const reader = { renewed: true, lost: () => {} };
  read.add(reader);

  read.bind(reader, 500, clock.now());
  const bound = [write.boundMs, read.boundMs];
  read.remove(reader);
  const free = [write.boundMs, read.boundMs];

  expect([bound, free]).toEqual([
    [500, 500],
    [Infinity, Infinity],
  ]);
});

test('one whose renewals were cut is renewed at once when its bound is gone', async () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a');
  const inner = { renewed: true, lost: () => {} };
  lease.add(inner);
  lease.bind(inner, LEASE_MS, clock.now());
  for (let round = 1; round <= 2; round += 1) {
    clock.advance(PERIOD_MS);
    asked.at(-1)!.answer([HELD]);
  }
  const cut = asked.at(-1)!.items[0]!.leaseMs;

  lease.remove(inner);
  await Promise.resolve();
  asked.at(-1)!.answer([HELD]);

  expect(cut).toBe(PERIOD_MS);
  expect(asked.at(-1)!.items[0]!.leaseMs).toBe(LEASE_MS);
  expect(lease.remainingMs).toBe(LEASE_MS - MARGIN_MS);
});

test('one whose renewals were not cut is left alone then', async () => {
  const { clock, asked, grant } = stage();
  const lease = grant('a');
  const inner = { renewed: true, lost: () => {} };
  lease.add(inner);
  lease.bind(inner, LEASE_MS / 2, clock.now());

  lease.remove(inner);
  await Promise.resolve();

  expect([asked, lease.state]).toEqual([[], 'held']);
});
