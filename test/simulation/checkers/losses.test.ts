// Losses that are not told, releases that are told as losses, and holds that are believed in for too
// long are found.

import { expect, test } from 'vitest';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const TOLD = 'a loss is told, a release is not';
const PROVEN = 'a hold ends before its lease';

const lost = (until: number, toldLostAt: number | undefined): Part =>
  hold('a', [0, 10, until], { toldLostAt });

test('a loss is told in time', () => {
  expect(found([lost(300, 304)])).toEqual([]);
  expect(found([lost(300, 306)])).toEqual([TOLD]);
  expect(found([lost(300, undefined)])).toEqual([TOLD]);
  expect(found([lost(300, 290)])).toEqual([TOLD]);
});

test('a process that stands still is told when it runs', () => {
  const stall = fault('stall', [200, 500], { client: 1 });
  expect(found([stall, lost(300, 504)])).toEqual([]);
  expect(found([stall, lost(300, 506)])).toEqual([TOLD]);
  expect(found([stall, lost(300, undefined)], { endedAt: 400 })).toEqual([]);
  expect(found([fault('kill', [302, 302], { client: 1 }), lost(300, undefined)])).toEqual([]);
});

const released = (toldLostAt: number): string[] =>
  found([hold('a', [0, 10, 50, 55], { toldLostAt })]);

test('a release is not told as a loss', () => {
  // It may have been lost at the end of a run of holds.
  expect([released(58), released(61), released(40)]).toEqual([[], [TOLD], [TOLD]]);
});

test('a grant that is over when it is told is found, unless somebody else or a flush ended it', () => {
  const over = hold('a', [0, 10, 10], { toldLostAt: 10 });
  const force = part(call('force', [4, 6], { client: 2 }));
  expect(found([over])).toEqual([PROVEN]);
  expect(found([over, force])).toEqual([]);
  expect(found([over, fault('flush', [5, 5])])).toEqual([]);
  expect(found([over, fault('flush', [11, 11])])).toEqual([PROVEN]);
});

test('a release that finds the lease over tells the loss', () => {
  const { operations, ...rest } = hold('a', [0, 10, 50, 80], { toldLostAt: 80 });
  const refused = operations.map((one) =>
    one.action === 'release' ? { ...one, outcome: 'no' as const } : one,
  );
  expect(found([{ operations: refused, ...rest }])).toEqual([]);
  expect(found([{ operations, ...rest }])).toEqual([TOLD]);
});

test('what is kept to the end is not told as lost', () => {
  expect(found([hold('a', [0, 10, 1_000], { end: 'open', toldLostAt: 500 })])).toEqual([TOLD]);
});

const fixed = (until: number): string[] =>
  found([hold('a', [0, 10, until], { isRenewed: false, toldLostAt: until })]);

test('a lease that is not renewed ends by itself', () => {
  expect([fixed(315), fixed(316)]).toEqual([[], [PROVEN]]);
});

const during = (until: number, parts: readonly Part[]): string[] =>
  found([hold('a', [0, 10, until], { toldLostAt: 700 }), ...parts]);

test('while its process stands still, or the server is silent, nothing is renewed', () => {
  const stall = fault('stall', [200, 700], { client: 1 });
  expect([during(505, [stall]), during(506, [stall])]).toEqual([[], [PROVEN]]);
  const silence = fault('server stall', [200, 700]);
  expect(during(506, [silence])).toContain(PROVEN);
  expect(during(700, [fault('stall', [200, 700], { client: 2 })])).toEqual([]);
});

test('a silent server proves nothing against a hold once another one has taken its place', () => {
  const silence = fault('server stall', [200, 700]);
  expect(during(700, [silence, fault('restart', [300, 400])])).not.toContain(PROVEN);
  expect(during(700, [silence, fault('restart', [100, 300])])).not.toContain(PROVEN);
  expect(during(700, [silence, fault('restart', [300, 650])])).toContain(PROVEN);
  expect(during(700, [silence, fault('restart', [100, 150])])).toContain(PROVEN);
});

test('what is left, and what surprises, is found', () => {
  const given = { left: ['a key'], surprises: ['an error'] };
  expect(found([hold('a', [0, 10, 50, 55])], given)).toEqual([
    'nothing is left behind',
    'no error where none belongs',
  ]);
});
