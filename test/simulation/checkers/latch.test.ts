// The rules of a latch: a history that keeps them is accepted, one that breaks one is found.

import { expect, test } from 'vitest';
import type { Operation } from '../history.js';
import { call, fault, found, part, type Part } from './made-up.js';

const ORDER = 'calls have an order';

type At = readonly [number, number];

const does = (action: Operation['action'], at: At, given: Partial<Operation> = {}): Part =>
  part(call(action, at, { kind: 'latch', ...given }));
const set = does('set', [0, 5], { amount: 2 });
const down = (at: At, given: Partial<Operation> = {}): Part => does('count down', at, given);
const waits = (at: At, outcome: 'ok' | 'no' = 'ok', given: Partial<Operation> = {}): Part =>
  does('wait', at, { waits: true, waitMs: at[1] - at[0], outcome, ...given });

test('a wait ends with the zero', () => {
  expect(found([set, down([10, 12]), down([20, 22]), waits([6, 23])])).toEqual([]);
  expect(found([set, down([10, 12]), down([20, 22]), waits([6, 19])])).toEqual([ORDER]);
  expect(found([set, down([10, 12]), waits([6, 60])])).toEqual([ORDER]);
});

test('a wait ends where none is set, or it is deleted', () => {
  expect(found([waits([6, 8])])).toEqual([]);
  expect(found([set, does('delete', [10, 12]), waits([6, 14])])).toEqual([]);
});

test('those who waited for the old zero go on when it is set again', () => {
  const again = [set, down([10, 12]), down([20, 22]), does('set', [24, 26], { amount: 1 })];
  expect(found([...again, waits([6, 30])])).toEqual([]);
  expect(found([...again, waits([28, 30])])).toEqual([ORDER]);
});

test('one that is set for a while ends by itself, and not before', () => {
  const brief = does('set', [0, 5], { amount: 2, ttlMs: 50 });
  const look = (at: At, answer: number): Part => does('look', at, { answer });
  expect(found([brief, waits([6, 47])])).toEqual([ORDER]);
  expect(found([brief, waits([6, 49])])).toEqual([]);
  expect(found([brief, look([45, 47], 2), look([58, 60], 0)])).toEqual([]);
  expect(found([brief, look([45, 47], 0)])).toEqual([ORDER]);
  expect(found([brief, look([58, 60], 2)])).toEqual([ORDER]);
  expect(found([brief, waits([58, 70], 'no')])).toEqual([ORDER]);
  expect(found([brief, does('set', [40, 45])])).toEqual([ORDER]);
  expect(found([brief, does('set', [58, 60], { amount: 1 }), look([61, 63], 1)])).toEqual([]);
  // Its end is not that of the next one.
  const gone = does('delete', [10, 12]);
  expect(found([brief, gone, does('set', [14, 16]), look([70, 72], 1)])).toEqual([]);
});

test('where the clock steps, or the outcome is unknown, nobody knows when it ends', () => {
  const brief = does('set', [0, 5], { amount: 2, ttlMs: 50 });
  const looks = [10, 70].map((at, i) => does('look', [at, at + 2], { answer: 2 - 2 * i }));
  const kept = does('look', [90, 92], { answer: 2 });
  const back = fault('clock step', [20, 20], { detail: '-100 ms' });
  expect(found([brief, kept, back])).toEqual([]);
  expect(found([brief, ...looks, kept, back])).toEqual([ORDER]);
  const unknown = does('set', [0, 5], { amount: 2, ttlMs: 50, outcome: 'unknown' });
  expect([found([unknown, ...looks]), found([unknown, kept])]).toEqual([[], []]);
});

test('who is told that it is closed was told the truth', () => {
  expect(found([set, waits([10, 20], 'no')])).toEqual([]);
  expect(found([waits([10, 20], 'no')])).toEqual([ORDER]);
  expect(found([set, down([6, 7]), down([6, 7]), waits([10, 20], 'no')])).toEqual([ORDER]);
});

test('it is set only when none is set, and not counted below zero', () => {
  expect(found([set, does('set', [6, 8], { amount: 1 })])).toEqual([ORDER]);
  expect(found([set, does('set', [6, 8], { amount: 1, outcome: 'no' })])).toEqual([]);
  expect(found([down([0, 1]), does('set', [6, 8]), does('look', [10, 12], { answer: 1 })])).toEqual(
    [],
  );
});

const looksLater = (answer: number): Part => does('look', [30, 32], { answer });

const counts = (outcome: Operation['outcome'], answer: number): string[] =>
  found([set, down([10, 12], { outcome }), looksLater(answer)]);

test('the count is true, whatever ran of what is unknown', () => {
  expect([counts('ok', 1), counts('ok', 2)]).toEqual([[], [ORDER]]);
  expect([counts('unknown', 1), counts('unknown', 2), counts('unknown', 0)]).toEqual([
    [],
    [],
    [ORDER],
  ]);
  expect([counts('failed', 1), counts('failed', 2)]).toEqual([[ORDER], []]);
});

test('a call that spans a flush may have run before it, whatever its second copy answers', () => {
  const deleted = (until: number): Part => does('delete', [10, until], { outcome: 'no' });
  const [flush, cut] = [fault('flush', [30, 30]), fault('cut', [8, 35], { client: 1 })];
  const gone = does('look', [20, 22], { answer: 0, client: 2 });
  expect(found([set, deleted(40), gone, flush, cut])).toEqual([]);
  expect(found([set, deleted(40), gone, flush])).toEqual([ORDER]);
  expect(found([set, deleted(40), gone, cut])).toEqual([ORDER]);
  expect(found([set, deleted(25), gone, flush, cut])).toEqual([ORDER]);
});
