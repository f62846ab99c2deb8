// A reader that a later writer passes is found, unless the grant was that of an earlier writer.

import { expect, test } from 'vitest';
import type { Operation } from '../history.js';
import { call, found, hold, part, type Part } from './made-up.js';

const READERS_FIRST = 'readers that asked before a writer get in before it';

const rw = (mode: Operation['mode'], at: Parameters<typeof hold>[1], client: number): Part =>
  hold(`${mode}${at[0]}`, at, { kind: 'rwlock', mode, client });

const holder = rw('exclusive', [0, 5, 50, 55], 1);
const reader = rw('shared', [20, 80, 85, 88], 2);
const writer = (calledAt: number): Part => rw('exclusive', [calledAt, 60, 70, 75], 3);

const isFound = (...parts: readonly Part[]): boolean =>
  found([holder, reader, ...parts]).includes(READERS_FIRST);

test('a writer that asked later does not get in before a reader', () => {
  expect(isFound(writer(28))).toBe(false);
  expect(isFound(writer(29))).toBe(true);
});

const gaveUp = (calledAt: number, returnedAt: number, client = 3): Part =>
  part(
    call('acquire', [calledAt, returnedAt], {
      kind: 'rwlock',
      client,
      waits: true,
      waitMs: returnedAt - calledAt,
      outcome: 'no',
    }),
  );

test('it may have the grant of an earlier writer of its client that gave up just then', () => {
  expect(isFound(writer(40), gaveUp(10, 57))).toBe(false);
  expect(isFound(writer(40), gaveUp(10, 55))).toBe(true);
  expect(isFound(writer(40), gaveUp(24, 57))).toBe(true);
  expect(isFound(writer(40), gaveUp(10, 57, 4))).toBe(true);
});
