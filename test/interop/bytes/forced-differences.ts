// What a forced release of ours leaves, on purpose, and Redisson's does not.

import type { Difference } from './difference.js';

/** The steps after a forced release, by who was forced out. */
const afterForce = ['A is forced out', 'a free one is forced', 'A releases what it has lost'];
const FORCED_A = { lock: afterForce, 'fair lock': afterForce, 'read lock': afterForce };
const FORCED_B = {
  'fenced lock, large tokens': [
    'B is forced out',
    'A acquires for 100 s',
    'A acquires again',
    'A releases one',
    'A releases all',
  ],
};
const FORCED_C = { 'fair lock, queue': ['C is forced out, and A comes in', 'A releases'] };
const FORCED_WRITER = { 'write lock': afterForce };
const FORCED_BOTH = { 'write lock, short reads': ['A is forced out'] };

const tombstone = (holder: string, at: Difference['at']): Difference => ({
  id: 'L20',
  says: 'Whoever was forced out gets a tombstone: no late copy of its acquisition is granted.',
  node: [`redlatch_cancelled:{NAME}:${holder} string 600 s`],
  at,
});

const told = (client: string, at: Difference['at']): Difference => ({
  id: 'L20',
  says: 'Whoever loses what it holds by the call of another client is told, on a channel of its own.',
  node: [`publish redlatch:${client} eNAME`],
  at,
});

export const forcedDifferences: readonly Difference[] = [
  {
    id: 'L20',
    says: 'A forced release is recorded, so that a copy of it frees nobody else.',
    node: ['redlatch_requests:{NAME}:C zset 1800 s'],
    at: { ...FORCED_A, ...FORCED_B, ...FORCED_C, ...FORCED_WRITER, ...FORCED_BOTH },
  },
  told('A', {
    lock: ['A is forced out'],
    'fair lock': ['A is forced out'],
    'read lock': ['A is forced out'],
    'write lock': ['A is forced out'],
    'write lock, short reads': ['A is forced out'],
  }),
  told('B', { 'fenced lock, large tokens': ['B is forced out'] }),
  told('<16 hex>', { 'permits, waited for': ['it is deleted'] }),
  tombstone('A:1', { ...FORCED_A, ...FORCED_BOTH }),
  tombstone('B:1', FORCED_B),
  tombstone('C:1', FORCED_C),
  tombstone('A:1:write', { ...FORCED_WRITER, ...FORCED_BOTH }),
];
