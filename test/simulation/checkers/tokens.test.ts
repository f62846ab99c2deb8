// Tokens that do not grow, or differ on re-entry, are found.

import { expect, test } from 'vitest';
import { fault, found, hold, type Part } from './made-up.js';

const TOKENS = 'fencing tokens grow';
const ORDER = 'calls have an order';

type HoldAt = Parameters<typeof hold>[1];

const fenced = (owner: string, at: HoldAt, token: bigint, holderId?: string): Part =>
  hold(owner, at, { kind: 'fenced', token, holderId });

const followedBy = (token: bigint): string[] =>
  found([fenced('a', [0, 10, 20, 25], 5n), fenced('b', [30, 40, 50, 55], token)]);

test('they grow, and one that falls or comes twice is found', () => {
  expect([followedBy(6n), followedBy(5n), followedBy(4n)]).toEqual([
    [],
    [ORDER, TOKENS],
    [ORDER, TOKENS],
  ]);
});

const reentered = (token: bigint): string[] =>
  found([fenced('a', [0, 10, 50, 55], 5n), fenced('a', [20, 21, 30, 35], token)]);

test('they are equal on re-entry', () => {
  expect([reentered(5n), reentered(6n)]).toEqual([[], [ORDER, TOKENS]]);
});

test('they grow through a flush, and through a failover unless a clock is behind', () => {
  const parts = [fenced('a', [0, 10, 20, 25], 5n), fenced('b', [30, 40, 50, 55], 4n)];
  const failover = fault('failover', [27, 28]);
  expect(found([...parts, fault('flush', [27, 28])])).toContain(TOKENS);
  expect(found([...parts, failover])).toContain(TOKENS);
  expect(found([...parts, failover, fault('clock step', [27, 27], { detail: '-9' })])).toEqual([]);
});

test('a run goes on with its tokens after its lease was lost, and they grow', () => {
  const first = fenced('a', [0, 10, 12, 13], 5n, 'h');
  const other = fenced('b', [12, 14, 16, 17], 9n, 'x');
  const next = (token: bigint): Part => fenced('c', [15, 16, 18, 19], token, 'h');
  const flush = fault('flush', [11, 11]);

  expect(found([first, other, next(6n), flush])).not.toContain(TOKENS);
  expect(found([first, other, next(6n)])).toContain(TOKENS);
  expect(found([first, other, next(4n), flush])).toContain(TOKENS);
});
