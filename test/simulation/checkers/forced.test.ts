// Holds that outlive a forced release by another client are found.

import { expect, test } from 'vitest';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const FORCED = 'whoever is forced out knows it at once';

const force = (given: Parameters<typeof call>[2] = {}): Part =>
  part(call('force', [100, 104], { client: 2, answer: true, ...given }));

const held = (until: number, from = 10): Part =>
  hold('a', [0, from, until], { leaseMs: 30_000, toldLostAt: until });

const outlives = (...parts: readonly Part[]): boolean => found(parts).includes(FORCED);

test('a hold that outlives a forced release elsewhere for long is found', () => {
  expect(outlives(held(1_103), force())).toBe(false);
  expect(outlives(held(1_105), force())).toBe(true);
});

test('a forced release ends what it found, and nothing else', () => {
  expect(outlives(held(5_000), force({ answer: false }))).toBe(false);
  expect(outlives(held(5_000), force({ outcome: 'unknown' }))).toBe(false);
  expect(outlives(held(5_000), force({ mode: 'shared' }))).toBe(false);
  expect(outlives(held(5_000), force({ client: 1 }))).toBe(false);
  expect(outlives(held(5_000), force({ object: 'y' }))).toBe(false);
  expect(outlives(held(5_000, 101), force())).toBe(false);
});

test('what keeps messages away, or answers, is an excuse', () => {
  expect(outlives(held(5_000), force(), fault('no messages', [50, 90]))).toBe(false);
  expect(outlives(held(5_000), force(), fault('cut', [600, 600], { client: 1 }))).toBe(false);
  expect(outlives(held(5_000), force(), fault('cut', [600, 600], { client: 2 }))).toBe(true);
  expect(outlives(held(5_000), force(), fault('stall', [1_200, 1_300], { client: 1 }))).toBe(true);
});
