// Every file of tests belongs to a check of the gate, or of the search.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST, POOLS, REST, STORMS } from '../../scripts/lib/suite.mjs';

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

const modules = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const files = modules.filter((file) => file.endsWith('.test.ts'));

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

test('no module that files of one process share does anything for the first of them only', () => {
  const pooled = ['support', ...POOLS.flatMap(({ folders }) => folders)];
  const shared = modules.filter((file) => isIn(file, pooled) && !files.includes(file));
  const hooks = /^(?:(?:after|before)(?:All|Each)|process\.on)\(/mu;

  // The one is loaded anew for each file, and the other is a program.
  expect(
    shared.filter((file) => hooks.test(readFileSync(`test/${file}`, 'utf8'))).toSorted(),
  ).toEqual(['simulation/main.ts', 'support/endings.ts']);
});
