// A client that keeps asking, and that others pass again and again, is found.

import { expect, test } from 'vitest';
import type { Kind, Mode } from '../history.js';
import { call, fault, found as foundAnywhere, hold, part, type Part } from './made-up.js';

const STARVES = 'nobody who keeps asking starves';

const isStarved = (parts: readonly Part[], isFlow = true): boolean =>
  foundAnywhere(parts, { isFlow }).includes(STARVES);

/** One that waited from 10 on, with limits of 40 ms, each of which began 20 ms after the one before. */
const waits = (
  count: number,
  everyMs = 20,
  kind: Kind = 'lock',
  mode: Mode = 'exclusive',
): Part[] =>
  Array.from({ length: count }, (_, i) => {
    const from = 10 + i * everyMs;
    const given = { kind, mode, client: 2, waits: true, waitMs: 40, outcome: 'no' } as const;
    return part(call('acquire', [from, from + 40], given));
  });

/** The turns of another client, one after the other; the first had asked before. */
const turns = (count: number, given: Parameters<typeof hold>[2] = {}): Part[] =>
  Array.from({ length: count }, (_, i) => {
    const from = i * 20;
    return hold(`a${i}`, [from, from + 5, from + 19, from + 20], { client: 1, ...given });
  });

test('each other client may get in twice that asked later', () => {
  expect(isStarved([...waits(6), ...turns(3)])).toBe(false);
  expect(isStarved([...waits(6), ...turns(4)])).toBe(true);
});

test('two other clients get in twice each', () => {
  const both = turns(5).map((turn, i) => {
    const client = 3 + (i % 2);
    return {
      ...turn,
      operations: turn.operations.map((one) => ({ ...one, client })),
      claims: turn.claims.map((one) => ({ ...one, client })),
    };
  });

  expect(isStarved([...waits(7), ...both])).toBe(false);
});

test('what one client passes on inside itself is one turn', () => {
  expect(isStarved([...waits(6), ...turns(4, { holderId: '1:1' })])).toBe(false);
});

test('a wait that begins when the one before is over begins anew', () => {
  expect(isStarved([...waits(6, 39), ...turns(4)])).toBe(false);
});

test('one that gets in begins anew', () => {
  const own = hold('b', [15, 45, 45.5, 46], { client: 2 });

  expect(isStarved([...waits(5), ...turns(4), own])).toBe(false);
  expect(isStarved([...waits(9), ...turns(8), own])).toBe(true);
});

test('where readers wait as well, where something is faulty, or some race, nothing counts', () => {
  const parts = [...waits(6, 20, 'rwlock'), ...turns(4, { kind: 'rwlock' })];
  expect(isStarved(parts)).toBe(true);
  expect(isStarved([...parts, ...waits(1, 20, 'rwlock', 'shared')])).toBe(false);
  expect(isStarved([...parts, fault('cut', [5, 5], { client: 3 })])).toBe(false);
  expect(isStarved(parts, false)).toBe(false);
});
