// What a waiter for a latch makes of its looks.

import { expect, test } from 'vitest';
import type { LatchView } from '../../src/latch/protocol.js';
import { LatchWaiter } from '../../src/latch/waiter.js';

/** At a time of the server: the mark, how long the latch still lives, and its count. */
type Look = readonly [now: number, mark: string, ttlMs?: number, count?: number];

/** What the wait came to after each look; undefined while it goes on. */
function told(looks: readonly Look[], looksOnce = false): (boolean | undefined)[] {
  let result: boolean | undefined;
  const waiter = new LatchWaiter(
    looksOnce,
    (reached) => (result = reached),
    () => {},
  );
  return looks.map(([now, mark, ttlMs = -1, count = 2]) => {
    const view: LatchView = { now, mark, ttlMs, count };
    expect([waiter.see(view), waiter.hasSeen]).toEqual([result !== undefined, true]);
    return result;
  });
}

test.each<[string, readonly Look[]]>([
  [
    'another mark',
    [
      [0, '7'],
      [1, '8'],
    ],
  ],
  [
    'the first mark of all',
    [
      [0, ''],
      [1, '8'],
    ],
  ],
  [
    'another mark after one that was gone',
    [
      [0, '7'],
      [1, ''],
      [2, '8'],
    ],
  ],
  [
    'no count',
    [
      [0, '7'],
      [1, '7', -2, 0],
    ],
  ],
  [
    'a time past its end',
    [
      [0, '7', 10],
      [11, '', 10],
    ],
  ],
  [
    'a time past its end, of a latch without a mark',
    [
      [0, '', 10],
      [11, ''],
    ],
  ],
  [
    'a time past an end that came sooner',
    [
      [0, '', 100],
      [5, '', 10],
      [16, ''],
    ],
  ],
  [
    'a time past an end that was named later',
    [
      [0, ''],
      [5, '', 10],
      [16, ''],
    ],
  ],
])('it is let go by %s', (_, looks) => {
  const results = told(looks);

  expect(results.at(-1)).toBe(true);
  expect(results.slice(0, -1).filter((result) => result !== undefined)).toEqual([]);
});

test.each<[string, readonly Look[]]>([
  [
    'the same mark',
    [
      [0, '7'],
      [5_000, '7'],
      [10_000, '7'],
    ],
  ],
  [
    'a mark that is gone',
    [
      [0, '7'],
      [5_000, ''],
      [10_000, '7'],
    ],
  ],
  [
    'its last millisecond',
    [
      [0, '7', 10],
      [10, '7', 0],
    ],
  ],
  [
    'an end that was put off',
    [
      [0, '7', 10],
      [5, '7', 100],
      [50, '', 55],
    ],
  ],
  [
    'an end that was taken away',
    [
      [0, '7', 10],
      [5, '7'],
      [50, ''],
    ],
  ],
  [
    'a clock that steps back',
    [
      [100, '7', 10],
      [20, '7', 90],
    ],
  ],
])('it is not let go by %s', (_, looks) => {
  expect(told(looks)).toEqual(looks.map(() => undefined));
});

test('it is let go at once where no count is set, whatever the mark', () => {
  expect(told([[0, '7', -2, 0]])).toEqual([true]);
});

test('with one look it is told what that found', () => {
  expect([told([[0, '7']], true), told([[0, '7', -2, 0]], true)]).toEqual([[false], [true]]);
});
