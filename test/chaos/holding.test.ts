// The checkers of who holds find their violation in a made-up history, and nothing in one that is in
// order.

import { describe, expect, test } from 'vitest';
import { Count } from './checks/counts.js';
import { checkExclusion } from './checks/exclusion.js';
import { checkHandles, checkPermits } from './checks/permits.js';
import { History, type Disturbance } from './history.js';
import { call, found, historyOf, type Given } from './made-up.js';

const INITIAL = new Map([['x', 2]]);

const forced = (client: string): Disturbance => ({
  what: 'force',
  name: 'x',
  client,
  from: 15,
  until: 18,
});

describe('one holder at an instant', () => {
  const overlap: readonly Given[] = [
    { held: [10, 90], client: 'c0' },
    { held: [20, 40], client: 'c1' },
  ];

  test('two who hold one after the other are in order', () => {
    const history = historyOf([{ held: [10, 20] }, { held: [20.1, 30] }]);
    checkExclusion(history);
    expect(found(history)).toEqual([]);
  });

  test.each(['lock', 'fair', 'fenced', 'write'] as const)(
    'two of a %s at once are found',
    (kind) => {
      const history = historyOf(overlap.map((claim) => ({ ...claim, kind })));
      checkExclusion(history);
      expect(found(history)).toEqual(['one holder at an instant']);
    },
  );

  test('readers share, and a writer beside a reader is found', () => {
    const readers = historyOf(overlap.map((claim) => ({ ...claim, kind: 'read' as const })));
    const mixed = historyOf([
      { ...overlap[0], kind: 'read' },
      { ...overlap[1], kind: 'write' },
    ]);
    [readers, mixed].forEach(checkExclusion);
    expect([found(readers), found(mixed)]).toEqual([[], ['one holder at an instant']]);
  });

  test("a writer's own reads are in order, also when they outlast it", () => {
    const history = historyOf([
      { held: [10, 20], kind: 'write', root: 7 },
      { held: [15, 40], kind: 'read', root: 7 },
    ]);
    checkExclusion(history);
    expect(found(history)).toEqual([]);
  });

  test('branches of one holder at once are found, unless their hold is released', () => {
    const branches: Given[] = [
      { held: [0, 90], root: 0 },
      { held: [10, 30], root: 0, parent: 0, depth: 2 },
      { held: [20, 40], root: 0, parent: 0, depth: 2 },
    ];
    const inside = historyOf(branches);
    const after = historyOf([{ ...branches[0], releasedAt: 5 }, ...branches.slice(1)]);
    [inside, after].forEach(checkExclusion);
    expect([found(inside), found(after)]).toEqual([['branches exclude each other'], []]);
  });

  test('a release forced by another client excuses it until the lease is over', () => {
    const soon = historyOf(overlap);
    const late = historyOf([overlap[0]!, { held: [20, 40], client: 'c1' }, { held: [130, 140] }]);
    late.claims[0]!.last = 135;
    for (const history of [soon, late]) {
      history.disturbances.push(forced('c2'));
      checkExclusion(history);
    }
    expect([found(soon), found(late)]).toEqual([[], ['one holder at an instant']]);
  });

  test('a release forced by its own client excuses it until the answer', () => {
    const [own, other] = overlap;
    const asked = [own!, { ...other, askedAt: 19 }];
    const before = historyOf([
      { ...own, held: [10, 17] },
      { held: [16, 40], askedAt: 16 },
    ]);
    const after = historyOf(asked);
    for (const history of [before, after]) {
      history.disturbances.push(forced('c0'));
      checkExclusion(history);
    }
    expect([found(before), found(after)]).toEqual([[], ['one holder at an instant']]);
  });

  test('a flush excuses everybody until the leases are over, and nobody after that', () => {
    const history = historyOf([{ held: [10, 200] }, { held: [190, 195] }]);
    history.disturbances.push({
      what: 'flush',
      name: undefined,
      client: undefined,
      from: 12,
      until: 13,
    });
    checkExclusion(history);
    expect(found(history)).toEqual(['one holder at an instant']);
  });
});

describe('permits', () => {
  const three: readonly Given[] = [
    { held: [10, 40], kind: 'permit' },
    { held: [15, 30], kind: 'permit' },
    { held: [20, 25], kind: 'permit' },
  ];

  test('three of two at once are found', () => {
    const history = historyOf(three);
    checkPermits(history, INITIAL);
    expect(found(history)).toEqual(['never more permits than there are']);
  });

  test('three are in order after one was added, and after one may have been', () => {
    for (const outcome of ['done', 'unknown'] as const) {
      const history = historyOf(three);
      call(history, { from: 5, until: 6, delta: 1, outcome });
      checkPermits(history, INITIAL);
      expect(found(history)).toEqual([]);
    }
  });

  test('three are found when the one that was added has gone again before', () => {
    const history = historyOf(three);
    call(history, { from: 1, until: 2, delta: 1 });
    call(history, { from: 3, until: 4, delta: -1 });
    checkPermits(history, INITIAL);
    expect(found(history)).toEqual(['never more permits than there are']);
  });

  test("a permit that somebody else has ended excuses its owner's", () => {
    const history = historyOf(three);
    const cause = { what: 'end', name: 'x', client: 'c5', from: 16, until: 17 };
    history.disturbances.push({ ...cause, permit: 'holder-0' });
    checkPermits(history, INITIAL);
    expect(found(history)).toEqual([]);
  });

  test('permits without an owner count until their release is called', () => {
    for (const [releasedAt, expected] of [
      [15, []],
      [undefined, ['never more permits than there are']],
    ] as const) {
      const history = new History();
      const handle = { name: 'x', actor: 'c0/0', count: 2, askedAt: 5, grantedAt: 10 };
      history.handles.push({ ...handle, releasedAt }, { ...handle, grantedAt: 20, releasedAt: 30 });
      checkHandles(history, INITIAL);
      expect(found(history)).toEqual(expected);
    }
  });
});

test.each([
  ['may have been lost by a failover', { from: 8, until: 15 }, []],
  ['was there before', { from: 12, until: 15 }, ['never more permits than there are']],
] as const)('permits beside others whose grant %s', (_, span, expected) => {
  const history = new History();
  const handle = { name: 'x', actor: 'c0/0', count: 2, askedAt: 5, grantedAt: 10 };
  history.handles.push({ ...handle, releasedAt: 40 });
  history.handles.push({ ...handle, askedAt: 16, grantedAt: 20, releasedAt: 30 });
  history.disturbances.push({ what: 'failover', name: 'x', client: undefined, ...span });
  checkHandles(history, INITIAL);
  expect(found(history)).toEqual(expected);
});

test('what may have run once leaves a number between the two', () => {
  const change = { from: 1, until: 2, outcome: 'done' as const };
  const count = new Count(10, [
    { ...change, delta: 3 },
    { ...change, outcome: 'unknown', delta: 2 },
    { ...change, outcome: 'unknown', delta: -1 },
    { ...change, outcome: 'not done', delta: 50 },
  ]);
  expect([count.least(9), count.most(9)]).toEqual([12, 15]);
});
