// The rules of a read-write lock: a history that keeps them is accepted, one that breaks one is
// found.

import { expect, test } from 'vitest';
import type { Operation } from '../history.js';
import { checkAll, violationsOf } from './index.js';
import { call, found, historyOf, hold, part, SMALL, type Part } from './made-up.js';

const ORDER = 'calls have an order';

const rw = (owner: string, at: Parameters<typeof hold>[1], mode: Operation['mode']): Part =>
  hold(owner, at, { kind: 'rwlock', mode });
const WRITER = 'one writer, or readers';

test('readers share, and a writer is alone', () => {
  const readers = [rw('a', [0, 10, 50, 60], 'shared'), rw('b', [5, 15, 40, 45], 'shared')];
  expect(found([...readers, rw('c', [8, 58, 70, 75], 'exclusive')])).toEqual([]);
  expect(found([...readers, rw('c', [8, 48, 70, 75], 'exclusive')])).toContain(WRITER);
  expect(found([...readers, rw('c', [8, 48, 70, 75], 'exclusive')])).toContain(ORDER);
});

test('a writer may read, and goes on reading', () => {
  const downgrade = [
    rw('a', [0, 10, 30, 35], 'exclusive'),
    rw('a', [12, 14, 60, 65], 'shared'),
    rw('b', [20, 36, 50, 52], 'shared'),
  ];
  expect(found(downgrade)).toEqual([]);
  expect(found([...downgrade, rw('c', [20, 40, 70, 75], 'exclusive')])).toContain(ORDER);
});

test('nobody goes from reading to writing', () => {
  expect(
    found([rw('a', [0, 10, 60, 65], 'shared'), rw('a', [12, 14, 30, 35], 'exclusive')]),
  ).toEqual([ORDER]);
});

test('readers are lost one by one', () => {
  const lost = hold('a', [0, 10, 30], { kind: 'rwlock', mode: 'shared', toldLostAt: 30 });
  const reader = rw('b', [0, 10, 50, 55], 'shared');
  expect(found([lost, reader, rw('c', [20, 52, 60, 65], 'exclusive')])).toEqual([]);
  expect(found([lost, reader, rw('c', [20, 48, 60, 65], 'exclusive')])).toContain(ORDER);
});

const asks = (mode: Operation['mode'], at: readonly [number, number]): Part =>
  part(call('acquire', at, { kind: 'rwlock', mode, outcome: 'no' }));

test('a writer is a reason to refuse, a reader only a writer', () => {
  const [reader, writer] = [
    rw('a', [0, 10, 50, 60], 'shared'),
    rw('a', [0, 10, 50, 60], 'exclusive'),
  ];
  expect(found([writer, asks('shared', [20, 22]), asks('exclusive', [20, 22])])).toEqual([]);
  expect(found([reader, asks('exclusive', [20, 22])])).toEqual([]);
  expect(found([reader, asks('shared', [20, 22])])).toEqual([ORDER]);
});

const forced = (mode: Operation['mode'], outcome: 'ok' | 'no'): Part =>
  part(call('force', [20, 22], { kind: 'rwlock', mode, outcome }));

test('a forced release of one side leaves the other one', () => {
  const reader = hold('a', [0, 10, 60], { kind: 'rwlock', mode: 'shared', toldLostAt: 60 });
  const next = rw('b', [30, 35, 40, 45], 'exclusive');
  expect(found([reader, forced('shared', 'ok'), next].slice(0, 2))).toEqual([]);
  expect(found([reader, forced('exclusive', 'no')])).toEqual([]);
  expect(found([reader, forced('exclusive', 'ok')])).toEqual([ORDER]);
  expect(found([reader, forced('exclusive', 'no'), next])).toContain(ORDER);
});

test('that many waiters may have had the lock unknown to them is decided', () => {
  const waiters = Array.from({ length: 14 }, (_, i) =>
    part(
      call('acquire', [i, 100 + i], {
        kind: 'rwlock',
        mode: 'shared',
        owner: `w${i}`,
        waits: true,
        outcome: 'failed',
      }),
    ),
  );
  const forces = [forced('exclusive', 'no'), forced('shared', 'ok')];
  const parts = [...waiters, ...forces, rw('a', [40, 50, 80, 85], 'exclusive')];
  expect(found(parts)).toEqual([]);
  // Of two writers at once one is too many, whatever the waiters had.
  const history = historyOf([...parts, rw('b', [55, 60, 70, 75], 'exclusive')]);
  const violations = violationsOf(checkAll(history, { kinds: ['rwlock'], bounds: SMALL }));
  const [order] = violations.filter(({ property }) => property === ORDER);
  expect(order?.text).toMatch(/^there is no order/);
});
