// Calls that settle too late, or are refused too early, are found.

import { expect, test } from 'vitest';
import type { Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const SETTLING = 'calls settle in time';

const acquire = (at: readonly [number, number], given: Partial<Operation>): Part =>
  part(call('acquire', at, { outcome: 'failed', waits: true, ...given }));
const busy = hold('h', [-50, -40, 999, 1_000], { client: 9 });

test('an aborted call settles at once', () => {
  expect(found([acquire([0, 14], { abortedAt: 10 })])).toEqual([]);
  expect(found([acquire([0, 16], { abortedAt: 10 })])).toEqual([SETTLING]);
});

const waited = (ms: number, outcome: Operation['outcome']): string[] =>
  found([busy, acquire([0, ms], { outcome, waitMs: 90 })]);

test('a wait settles at its limit, not before it', () => {
  expect([waited(94, 'no'), waited(96, 'no'), waited(87, 'no')]).toEqual([
    [],
    [SETTLING],
    [SETTLING],
  ]);
  expect(waited(50, 'failed')).toEqual([]);
});

const looked = (ms: number): string[] =>
  found([part(call('look', [0, ms], { outcome: 'failed' }))]);

test('any other call settles when a command has had its time', () => {
  expect([looked(224), looked(226)]).toEqual([[], [SETTLING]]);
  expect(found([part(call('look', [0, Infinity], { outcome: 'unknown' }))])).toEqual([SETTLING]);
});

test('one that waits without a limit may wait', () => {
  expect(found([busy, acquire([0, Infinity], { outcome: 'unknown' })])).toEqual([]);
});

test('the time in which its process stood still does not count, nor do killed ones', () => {
  const stall = fault('stall', [50, 350], { client: 1 });
  expect(found([stall, acquire([0, 354], { abortedAt: 100 })])).toEqual([]);
  expect(found([stall, acquire([0, 356], { abortedAt: 100 })])).toEqual([SETTLING]);
  const kill = fault('kill', [50, 50], { client: 1 });
  expect(found([kill, acquire([0, Infinity], { outcome: 'unknown', waitMs: 60 })])).toEqual([]);
});
