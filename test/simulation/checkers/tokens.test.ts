// Tokens that do not grow, or differ on re-entry, are found.

import { expect, test } from 'vitest';
import { fault, found, hold, type Part } from './made-up.js';

const TOKENS = 'fencing tokens grow';
const ORDER = 'calls have an order';

type HoldAt = Parameters<typeof hold>[1];

const fenced = (owner: string, at: HoldAt, token: bigint): Part =>
  hold(owner, at, { kind: 'fenced', token });

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
