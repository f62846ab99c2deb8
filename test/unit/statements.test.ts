// What a client remembers of the numbers of permits that it has stated.

import { expect, test } from 'vitest';
import { Statements } from '../../src/core/permits/statements.js';

test('a client remembers ten thousand pairs, and forgets those that were stated longest ago', () => {
  const all = new Statements();
  for (let i = 0; i < 10_000; i += 1) {
    all.add(`pair-${i}`);
  }

  all.add('one more');

  expect(['pair-0', 'pair-1', 'one more'].map((pair) => all.find(pair) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
});

test('a statement that did not come about is forgotten, and not one that took its place', () => {
  const all = new Statements();
  const first = all.add('pair');
  all.delete('pair', first);
  expect(all.find('pair')).toBeUndefined();
  const second = all.add('pair');

  all.delete('pair', first);

  expect(all.find('pair')).toBe(second);
});

test('a client remembers ten thousand numbers that were answered', () => {
  const all = new Statements();
  for (let i = 0; i < 10_001; i += 1) {
    all.know(`number-${i}`);
  }

  expect(['number-0', 'number-1', 'number-10000'].map((each) => all.knows(each))).toEqual([
    false,
    true,
    true,
  ]);
});
