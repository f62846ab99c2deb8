// Every file of tests belongs to a check of the gate, or of the search.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST, REST, STORMS } from '../../scripts/lib/suite.mjs';

/** What checks of their own run. */
const OTHERS = [
  'chaos/chaos.test.ts',
  'demo',
  'examples/readme.test.ts',
  'interop',
  'package',
  'property',
  'recipes',
  'simulation/differential',
  'versions',
];

const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
);

const isIn = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

test('every file of tests belongs to a check', () => {
  expect(files.filter((file) => !isIn(file, [...FIRST, ...REST, ...STORMS, ...OTHERS]))).toEqual(
    [],
  );
});

test('a part of the suite names what is there', () => {
  for (const place of [...FIRST, ...REST, ...STORMS, ...OTHERS]) {
    expect(
      files.filter((file) => isIn(file, [place])),
      place,
    ).not.toEqual([]);
  }
});
