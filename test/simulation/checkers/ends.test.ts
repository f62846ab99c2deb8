// Grants without an end that was told, or with two, are found.

import { expect, test } from 'vitest';
import type { Told } from '../../support/ends.js';
import type { Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const ENDS = 'each grant has one end';
const NOBODY = {
  client: 1,
  kind: 'lock',
  holderId: 'h',
  acquired: 1,
  released: 0,
  lost: 0,
} as const;

const told = (given: Partial<Told>, parts: readonly Part[] = []): string[] =>
  found([hold('o', [0, 10, 50, 55]), ...parts], { told: [{ ...NOBODY, ...given }] });

test('a grant is released or lost, once', () => {
  expect([told({ released: 1 }), told({ lost: 1 })]).toEqual([[], []]);
  expect([told({}), told({ released: 1, lost: 1 })]).toEqual([[ENDS], [ENDS]]);
  expect([told({ released: 2 }), told({ lost: 2 })]).toEqual([[ENDS], [ENDS]]);
});

test('a hold of a run may be told lost after its release, and has an end in any case', () => {
  expect(told({ acquired: 3, released: 3, lost: 2 })).toEqual([]);
  expect(told({ acquired: 3, released: 1, lost: 1 })).toEqual([ENDS]);
  expect(told({ acquired: 3, released: 1, lost: 4 })).toEqual([ENDS]);
});

test('a process that was killed tells nothing', () => {
  expect(told({}, [fault('kill', [10, 10], { client: 2 })])).toEqual([ENDS]);
  expect(told({}, [fault('kill', [10, 10], { client: 1 })])).toEqual([]);
});

test('permits without a lease have an end for each release that may have been carried out', () => {
  const released = (given: Partial<Operation>): string[] => {
    const release = call('release', [10, 12], { kind: 'semaphore', ...given });
    const acquire = call('acquire', [0, 2], { kind: 'semaphore', owner: release.owner });
    const set = call('set', [-10, -5], { kind: 'semaphore' });
    return told({ kind: 'semaphore' }, [part(set, acquire, release)]);
  };

  expect(told({ kind: 'semaphore' })).toEqual([]);
  expect(released({ outcome: 'ok' })).toEqual([ENDS]);
  expect(released({ outcome: 'unknown' })).toContain(ENDS);
  expect(released({ outcome: 'failed', error: 'CommandTimeoutError' })).toContain(ENDS);
  expect(released({ outcome: 'failed', error: 'ClosedError' })).not.toContain(ENDS);
});
