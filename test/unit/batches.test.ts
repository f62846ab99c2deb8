// How many keys one command names.

import { expect, test } from 'vitest';
import { batchesOf } from '../../src/core/base/batches.js';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('a hundred items go with one command, of one group', () => {
  const waves = batchesOf(numbers(450), (i) => (i % 2 === 0 ? 'even' : 'odd'));

  expect(waves.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([
    100, 100, 100, 100, 25, 25,
  ]);
  expect(waves.every((wave) => new Set(wave.map((i) => i % 2)).size === 1)).toBe(true);
  expect(waves.flat().toSorted((a, b) => a - b)).toEqual(numbers(450));
});

test('heavy items go with fewer in one command, and one that is too heavy goes alone', () => {
  const waves = batchesOf(
    [400, 400, 400, 5_000, 400, 600, 1],
    () => '',
    (weight) => weight,
  );

  expect(waves).toEqual([[400, 400], [400], [5_000], [400, 600], [1]]);
});
