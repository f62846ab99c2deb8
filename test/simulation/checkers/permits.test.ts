// The rules of both semaphores: a history that keeps them is accepted, one that breaks one is
// found.

import { describe, expect, test } from 'vitest';
import type { Kind, Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const ORDER = 'calls have an order';
const LIMIT = 'never more permits than there are';

type At = readonly [number, number];

describe.each(['semaphore', 'expirable'] as const)('permits: %s', (kind) => {
  const does = (action: Operation['action'], at: At, given: Partial<Operation> = {}): Part =>
    part(call(action, at, { kind, ...given }));
  const holds = (owner: string, at: Parameters<typeof hold>[1], amount = 1): Part =>
    hold(owner, at, { kind, amount });
  const two = does('set', [0, 5], { amount: 2 });

  test('no more are granted than there are', () => {
    const both = [two, holds('a', [6, 10, 50, 60]), holds('b', [6, 10, 50, 60])];
    expect(found([...both, holds('c', [6, 55, 70, 75])])).toEqual([]);
    expect(found([...both, holds('c', [6, 45, 70, 75])])).toEqual([LIMIT, ORDER]);
    expect(found([two, holds('a', [6, 10, 50, 60], 2), holds('c', [6, 55, 70, 75], 2)])).toEqual(
      [],
    );
    expect(found([two, holds('a', [6, 10, 50, 60], 2), holds('c', [6, 45, 70, 75])])).toEqual([
      LIMIT,
      ORDER,
    ]);
  });

  test('they are set once', () => {
    expect(found([two, does('set', [6, 8], { amount: 3, outcome: 'no' })])).toEqual([]);
    expect(found([two, does('set', [6, 8], { amount: 3 })])).toEqual([ORDER]);
    expect(found([does('set', [6, 8], { amount: 3, outcome: 'no' })])).toEqual([ORDER]);
  });

  test('none are granted before any are set', () => {
    expect(found([does('set', [20, 25]), holds('a', [6, 10, 50, 60])])).toEqual([LIMIT, ORDER]);
  });

  const refused = (at: At, amount: number): Part => does('acquire', at, { outcome: 'no', amount });

  test('a refusal is true', () => {
    const one = [two, holds('a', [6, 10, 50, 60])];
    expect(found([...one, refused([20, 22], 2), refused([80, 82], 3)])).toEqual([]);
    expect(found([...one, refused([20, 22], 1)])).toEqual([ORDER]);
    expect(found([...one, refused([80, 82], 2)])).toEqual([ORDER]);
  });

  test('the number that is left is true, but for what a call that failed may have taken', () => {
    const looks = (answer: number): Part => does('look', [20, 22], { answer });
    const one = [two, holds('a', [6, 10, 50, 60])];
    expect(found([...one, looks(1)])).toEqual([]);
    expect([0, 2].map((answer) => found([...one, looks(answer)]))).toEqual([[ORDER], [ORDER]]);
    const aborted = does('acquire', [15, 18], { outcome: 'failed', abortedAt: 17 });
    expect([0, 1, 2].map((answer) => found([...one, aborted, looks(answer)]))).toEqual([
      [],
      [],
      [ORDER],
    ]);
  });

  test('they are added and taken away', () => {
    const grown = [two, does('add', [6, 8], { amount: 1 })];
    expect(found([...grown, holds('a', [9, 10, 50, 60], 3)])).toEqual([]);
    const shrunk = [two, does('add', [6, 8], { amount: -1 })];
    expect(found([...shrunk, holds('a', [9, 10, 50, 60], 2)])).toEqual([LIMIT, ORDER]);
    expect(found([...shrunk, does('look', [9, 10], { answer: 1 })])).toEqual([]);
  });

  test('adding makes one where there is none', () => {
    expect(found([does('add', [6, 8]), holds('a', [9, 10, 50, 60])])).toEqual([]);
  });

  const addedWith = (outcome: Operation['outcome']): string[] =>
    found([two, does('add', [6, 8], { amount: 1, outcome }), holds('a', [9, 10, 50, 60], 3)]);

  test('a call that failed has done nothing, one that is unknown may have', () => {
    expect([addedWith('unknown'), addedWith('failed')]).toEqual([[], [LIMIT, ORDER]]);
  });

  test('a deletion says whether there was one', () => {
    const deleted = (outcome: 'ok' | 'no'): Part => does('delete', [10, 12], { outcome });
    expect(found([two, deleted('ok'), does('set', [14, 16])])).toEqual([]);
    expect(found([deleted('no')])).toEqual([]);
    expect(found([two, deleted('no')])).toEqual([ORDER]);
    expect(found([deleted('ok')])).toEqual([ORDER]);
  });

  test('what is flushed is gone, and late copies of calls may run again', () => {
    const flush = fault('flush', [20, 21]);
    const looks = (answer: number): Part => does('look', [40, 42], { answer });
    expect(found([two, flush, looks(0)])).toEqual([]);
    expect(found([two, looks(0)])).toEqual([ORDER]);
    const cut = fault('cut', [2, 30], { client: 1 });
    const added = does('add', [6, 10], { amount: 2 });
    expect(found([two, added, flush, cut, looks(2)])).toEqual([]);
    expect(found([two, added, flush, looks(2)])).toEqual([ORDER]);
  });

  test('what was taken away before a flush is there after it', () => {
    const [flush, shrunk] = [fault('flush', [20, 21]), does('add', [6, 8], { amount: -3 })];
    const again = [two, shrunk, does('add', [30, 32], { amount: 1 })];
    expect(found([...again, flush, holds('a', [40, 45, 50, 55])])).toEqual([]);
    expect(found([...again, flush, holds('a', [40, 45, 50, 55], 2)])).toEqual([LIMIT, ORDER]);
    expect(found([...again, holds('a', [40, 45, 50, 55])])).toEqual([LIMIT, ORDER]);
  });

  test('what a call that spans a flush did before it is not what it answers', () => {
    const sets = [
      does('set', [6, 40], { amount: 2, outcome: 'no' }),
      does('set', [31, 33], { amount: 1, client: 2 }),
    ];
    const used = hold('a', [10, 12, 14, 16], { kind, amount: 2, client: 2 });
    const [flush, cut] = [fault('flush', [30, 30]), fault('cut', [8, 35], { client: 1 })];
    expect(found([...sets, used, flush, cut])).toEqual([]);
    expect(found([...sets, used, flush])).toEqual([ORDER]);
    expect(found([...sets, used, cut])).toEqual([LIMIT, ORDER]);
  });

  test('after a failover nothing is known', () => {
    const failover = fault('failover', [20, 21]);
    expect(found([two, failover, does('look', [40, 42], { answer: 1 })])).toEqual([]);
    expect(found([two, failover, does('look', [10, 12], { answer: 1 })])).toEqual([ORDER]);
    const shrunk = [two, does('add', [6, 8], { amount: -1 })];
    expect(found([...shrunk, failover, holds('a', [30, 35, 50, 60], 2)])).toEqual([]);
  });
});

describe('a counting semaphore', () => {
  const kind: Kind = 'semaphore';
  const does = (action: Operation['action'], at: At, given: Partial<Operation> = {}): Part =>
    part(call(action, at, { kind, ...given }));
  const set = (at: At, amount: number): Part => does('set', at, { amount });

  test('anybody gives back', () => {
    expect(
      found([
        set([0, 5], 1),
        does('release', [6, 8]),
        hold('a', [9, 10, 20, 25], { kind, amount: 2 }),
      ]),
    ).toEqual([]);
  });

  const drained = (answer: number): string[] =>
    found([
      set([0, 5], 3),
      does('drain', [6, 8], { answer }),
      does('look', [9, 10], { answer: 0 }),
    ]);

  test('a drain takes what is left', () => {
    expect([drained(3), drained(2), drained(4)]).toEqual([[], [ORDER], [ORDER]]);
  });

  const leftByDrain = (answer: number): string[] =>
    found([
      set([0, 5], 3),
      does('acquire', [6, 30], { outcome: 'failed', owner: 'a', waits: true }),
      does('drain', [8, 20], { outcome: 'unknown' }),
      does('look', [5_000, 5_001], { answer }),
    ]);

  test('a drain without an answer left what others had who failed since, and no more', () => {
    expect([leftByDrain(3), leftByDrain(1), leftByDrain(0), leftByDrain(2)]).toEqual([
      [],
      [],
      [],
      [ORDER],
    ]);
  });

  const leftAfterDeletion = (answer: number): string[] =>
    found([
      set([0, 5], 3),
      hold('a', [6, 10, 50, 55], { kind, amount: 2 }),
      does('delete', [20, 22]),
      set([30, 35], 4),
      does('look', [60, 62], { answer }),
    ]);

  test('handles of one that was deleted give nothing back', () => {
    expect([leftAfterDeletion(4), leftAfterDeletion(6)]).toEqual([[], [ORDER]]);
  });

  test('permits of a killed process stay taken', () => {
    const kill = fault('kill', [30, 30], { client: 1 });
    const open = hold('a', [6, 10, Infinity], { kind, end: 'open' });
    const look = (answer: number): Part => does('look', [800, 802], { answer, client: 2 });
    expect(found([set([0, 5], 2), kill, open, look(1)])).toEqual([]);
    expect(found([set([0, 5], 2), kill, open, look(2)])).toEqual([ORDER]);
    const lost = does('acquire', [6, Infinity], { outcome: 'unknown', amount: 2 });
    expect([0, 1, 2].map((answer) => found([set([0, 5], 2), kill, lost, look(answer)]))).toEqual([
      [],
      [ORDER],
      [],
    ]);
  });
});

describe('permits on a lease', () => {
  const kind: Kind = 'expirable';
  const does = (action: Operation['action'], at: At, given: Partial<Operation> = {}): Part =>
    part(call(action, at, { kind, ...given }));
  const one = does('set', [0, 5]);

  test('a lost one comes back when its lease has ended', () => {
    const lost = hold('a', [6, 10, 300], { kind, toldLostAt: 301 });
    expect(found([one, lost, hold('b', [8, 305, 310, 315], { kind })])).toEqual([]);
    expect(found([one, lost, hold('b', [8, 200, 310, 315], { kind })])).toEqual([LIMIT, ORDER]);
  });

  test('of permits that were acquired together one may be lost, and another one not', () => {
    const both = hold('a', [6, 10, 300], { kind, amount: 2, toldLostAt: 300 });
    const [kept, lost] = [call('release', [330, 335], { kind, owner: 'a' }), both.claims[0]!];
    const claims = [
      { ...lost, permits: 1 },
      { ...lost, permits: 1, until: 330, end: 'released' as const, toldLostAt: undefined },
    ];
    const next = hold('b', [301, 310, 320, 325], { kind });
    const two = does('set', [0, 5], { amount: 2 });
    expect(found([two, { ...both, claims }, next, part(kept)])).toEqual([]);
  });

  test('it is given back by its owner, one by one', () => {
    const many = [
      does('set', [0, 5], { amount: 3 }),
      hold('a', [6, 10, 50], { kind, amount: 3, end: 'open' }),
      does('release', [20, 22], { owner: 'a' }),
    ];
    const look = (answer: number): Part => does('look', [30, 32], { answer });
    expect([1, 2].map((answer) => found([...many, look(answer)]))).toEqual([[], [ORDER]]);
  });

  test('what is not held is not released', () => {
    const release = (outcome: 'ok' | 'no'): Part =>
      does('release', [20, 22], { owner: 'z', outcome });
    expect([found([one, release('no')]), found([one, release('ok')])]).toEqual([[], [ORDER]]);
    const held = hold('a', [6, 10, 50, 55], { kind });
    expect(found([one, held, does('release', [20, 22], { owner: 'a', outcome: 'no' })])).toEqual([
      ORDER,
    ]);
  });
});

test('permits whose release was not answered are back when all is well again', () => {
  const kind = 'semaphore';
  const two = part(call('set', [0, 5], { kind, amount: 2 }));
  const held = hold('a', [6, 10, 50], { kind });
  const given = (outcome: 'failed' | 'unknown'): Part =>
    part(call('release', [50, 60], { kind, owner: 'a', outcome }));
  const looks = (answer: number): Part => part(call('look', [200, 210], { kind, answer }));
  const history = { quietAt: 150 };
  for (const outcome of ['failed', 'unknown'] as const) {
    expect(found([two, held, given(outcome), looks(2)], history)).toEqual([]);
    expect(found([two, held, given(outcome), looks(1)], history)).toEqual([ORDER]);
    const killed = fault('kill', [70, Number.POSITIVE_INFINITY], { client: 1 });
    expect(found([two, held, given(outcome), killed, looks(1)], history)).toEqual([]);
    const other = fault('kill', [70, Number.POSITIVE_INFINITY], { client: 2 });
    expect(found([two, held, given(outcome), other, looks(1)], history)).toEqual([ORDER]);
  }
});

test('permits that are released anew after a long outage may be given back twice', () => {
  const kind = 'semaphore';
  const two = part(call('set', [0, 5], { kind, amount: 2 }));
  const held = hold('a', [6, 10, 50], { kind });
  const times = { owner: 'a', waitMs: 1_000_000 };
  const release = (until: number): Part => part(call('release', [50, until], { kind, ...times }));
  const used = (amount: number): Part =>
    hold('b', [700_100, 700_110, 700_120, 700_130], { kind, amount });
  const outage = fault('restart', [55, 600_055]);
  const deletion = part(call('delete', [700_200, 700_210], { kind }));
  for (const end of [[], [deletion]]) {
    expect(found([two, held, release(700_050), outage, used(3), ...end])).toEqual([]);
    expect(found([two, held, release(700_050), outage, used(4), ...end])).toEqual([LIMIT, ORDER]);
    expect(found([two, held, release(700_050), used(3), ...end])).toEqual([LIMIT, ORDER]);
    // It was never sent.
    const unsent = fault('restart', [45, 600_055]);
    expect(found([two, held, release(700_050), unsent, used(3), ...end])).toEqual([LIMIT, ORDER]);
    expect(found([two, held, release(600_040), outage, used(3), ...end])).toEqual([LIMIT, ORDER]);
  }
});
