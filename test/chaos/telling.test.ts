// The other checkers find their violation in a made-up history, and nothing in one that is in order.

import { describe, expect, test } from 'vitest';
import { checkCalls } from './checks/calls.js';
import { checkLatchWaits, type LatchWait } from './checks/latches.js';
import { checkTokens } from './checks/tokens.js';
import { History } from './history.js';
import { call, found, historyOf, type Given } from './made-up.js';

/** Grants of a fenced lock, one after the other. */
const grants = (...tokens: bigint[]): Given[] =>
  tokens.map((token, i) => ({ held: [10 * i + 6, 10 * i + 9], kind: 'fenced', token }));

describe('tokens', () => {
  test.each([
    ['that grow', [4n, 5n, 9n], 0],
    ['that fall', [4n, 6n, 5n], 1],
    ['that come twice', [4n, 5n, 5n], 2],
  ] as const)('tokens %s', (_, tokens, violations) => {
    const history = historyOf(grants(...tokens));
    checkTokens(history);
    expect(found(history)).toEqual(Array.from({ length: violations }, () => 'tokens grow'));
  });

  test('a re-entry with a token of its own is found', () => {
    const [outer, inner] = grants(4n, 5n);
    const history = historyOf([
      { ...outer, root: 0 },
      { ...inner, root: 0, depth: 2 },
    ]);
    checkTokens(history);
    expect(found(history)).toEqual(['tokens grow']);
  });
});

describe('calls settle in time', () => {
  test.each([
    ['in time', { limitMs: 100, until: 150 }, 0],
    ['too late', { limitMs: 100, until: 400 }, 1],
    ['never', { limitMs: 100, until: undefined }, 1],
    ['without a limit', { until: 9_000 }, 0],
    ['late after an abort', { abortedAt: 50, until: 400 }, 1],
    ['soon after an abort', { abortedAt: 50, until: 60 }, 0],
  ] as const)('one that settles %s', (_, given, violations) => {
    const history = new History();
    call(history, given);
    checkCalls(history);
    expect(found(history)).toHaveLength(violations);
  });

  test('a time in which nothing could run does not count', () => {
    const history = new History();
    call(history, { limitMs: 100, until: 700 });
    history.stalls.push({ from: 20, until: 620 });
    checkCalls(history);
    expect(found(history)).toEqual([]);
  });
});

describe('a wait ends with the zero', () => {
  const PROPERTY = 'a wait ends with the zero';
  const set = { what: 'trySetCount', delta: 2, from: 0, until: 10 };
  const down = { what: 'countDown', delta: -1 };
  const wait: LatchWait = {
    name: 'x',
    actor: 'c0/0',
    from: 20,
    until: 60,
    reached: true,
    waitMs: 100,
  };

  test.each([
    [
      'after both were counted',
      [
        { from: 30, until: 31 },
        { from: 40, until: 41 },
      ],
      [],
    ],
    ['after one was', [{ from: 30, until: 31 }], [PROPERTY]],
    ['after one was, and one may have been', [{ from: 30, until: 31 }, { outcome: 'unknown' }], []],
    [
      'before the second',
      [
        { from: 30, until: 31 },
        { from: 70, until: 71 },
      ],
      [PROPERTY],
    ],
    ['after it was deleted', [{ what: 'delete', from: 30, until: 31 }], []],
  ] as const)('one that is let go %s', (_, calls, expected) => {
    const history = new History();
    call(history, set);
    for (const given of calls) {
      call(history, { ...down, ...given });
    }
    checkLatchWaits(history, [wait]);
    expect(found(history)).toEqual(expected);
  });

  test.each([
    ['within the life of the latch', 300, [PROPERTY]],
    ['after its end', 55, []],
  ])('one that is let go %s', (_, lifeMs, expected) => {
    const history = new History();
    call(history, { ...set, lifeMs });
    checkLatchWaits(history, [wait]);
    expect(found(history)).toEqual(expected);
  });

  test('one that is told false too soon, or where no count was set, is found', () => {
    const early = new History();
    call(early, set);
    checkLatchWaits(early, [{ ...wait, reached: false }]);
    const absent = new History();
    checkLatchWaits(absent, [{ ...wait, reached: false, waitMs: 30 }]);
    expect([found(early), found(absent)]).toEqual([[PROPERTY], [PROPERTY]]);
  });

  test.each([
    ['is found', [], [PROPERTY]],
    [
      'is excused by a flush, after which a late copy may set it again',
      [{ from: 16, until: 17 }],
      [],
    ],
  ] as const)('one that is told false after a deletion %s', (_, flushes, expected) => {
    const history = new History();
    call(history, set);
    call(history, { what: 'delete', from: 12, until: 15 });
    for (const flush of flushes) {
      history.disturbances.push({ what: 'flush', name: undefined, client: undefined, ...flush });
    }
    checkLatchWaits(history, [{ ...wait, reached: false, waitMs: 30 }]);
    expect(found(history)).toEqual(expected);
  });
});
