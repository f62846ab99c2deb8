import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backEdges, cycles, picture, readGraph } from '../../scripts/lib/rooms.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'redlatch-rooms-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function graphOf(files: Record<string, string>): Map<string, string[]> {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return readGraph(root);
}

const leaf = { 'core/base/clock.ts': 'export const now = 0;\nexport type Now = number;\n' };

test('imports of the own room and of rooms below are sound', () => {
  const graph = graphOf({
    ...leaf,
    'client.ts': `import { get } from './lock/lock.js';\nexport { get };\n`,
    'lock/lock.ts': `export { now as get } from './other.js';\n`,
    'lock/other.ts': `export * from '../core/base/clock.js';\n`,
  });

  expect(backEdges(graph)).toEqual([]);
  expect(cycles(graph)).toEqual([]);
  expect(picture(graph)).toMatch(/client +imports \d+\n/u);
});

test.each([
  ['a value', `import { now } from '../wire/call.js';\nexport const then = now;\n`],
  ['a type', `import type { Now } from '../wire/call.js';\nexport type Then = Now;\n`],
  ['a type in place', `export type Then = import('../wire/call.js').Now;\n`],
  ['by passing it on', `export type { Now } from '../wire/call.js';\n`],
  ['at run time', `export const later = () => import('../wire/call.js');\n`],
])('a room above is refused: %s', (_, text) => {
  const graph = graphOf({
    'core/wire/call.ts': 'export const now = 0;\nexport type Now = number;\n',
    'core/base/clock.ts': text,
  });

  expect(backEdges(graph)).toEqual([
    'core/base/clock.ts imports core/wire/call.ts, which stands above it',
  ]);
});

test('rooms side by side do not import one another', () => {
  const graph = graphOf({
    'lock/lock.ts': `import type { Latch } from '../latch/latch.js';\nexport type L = Latch;\n`,
    'latch/latch.ts': 'export type Latch = object;\n',
  });

  expect(backEdges(graph)).toEqual([
    'lock/lock.ts imports latch/latch.ts: lock and latch stand side by side',
  ]);
});

test('a circle is refused, also one of types within a room', () => {
  const graph = graphOf({
    'core/base/a.ts': `import type { B } from './b.js';\nexport type A = B[];\n`,
    'core/base/b.ts': `import type { C } from './c.js';\nexport type B = C[];\n`,
    'core/base/c.ts': `import type { A } from './a.js';\nexport type C = A[] | 0;\n`,
  });

  expect(cycles(graph)).toEqual([
    'core/base/a.ts -> core/base/b.ts -> core/base/c.ts -> core/base/a.ts',
  ]);
});

test('a file in no room is refused', () => {
  const graph = graphOf({ 'core/attic/old.ts': 'export {};\n' });

  expect(() => backEdges(graph)).toThrow('core/attic/old.ts is in no room');
});
