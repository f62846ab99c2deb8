// Holds that last beyond their bound are found, and those with a bound that were passed on.

import { expect, test } from 'vitest';
import { foundIn, hold, historyOf, type Part } from './made-up.js';

const BOUNDED = 'nobody holds beyond its bound';

const finds = (...parts: readonly Part[]): boolean => foundIn(historyOf(parts)).includes(BOUNDED);

test('a hold ends by its bound', () => {
  expect(finds(hold('a', [0, 10, 105, 106], { maxHoldMs: 100 }))).toBe(false);
  expect(finds(hold('a', [0, 10, 200, 201], { maxHoldMs: 100 }))).toBe(true);
});

test('it ends the others of its owner, unless it was released before', () => {
  const outer = hold('a', [0, 10, 300, 301]);

  expect(finds(outer, hold('a', [15, 20, 90, 91], { maxHoldMs: 100 }))).toBe(false);
  expect(finds(outer, hold('a', [15, 20, 250, 251], { maxHoldMs: 100 }))).toBe(true);
});

test('it is not passed on', () => {
  const [first, next] = [
    hold('a', [0, 10, 20, 21], { holderId: 'h' }),
    hold('b', [5, 21, 30, 31], { holderId: 'h', maxHoldMs: 100 }),
  ];

  expect(finds(first, next)).toBe(true);
});
