// What we leave or tell otherwise than Redisson's semaphores and latches, on purpose.

import { lines, type Difference } from './difference.js';

const REQUESTS = 'A counted call is recorded, so that a copy of it counts once.';
const MARKED =
  'A record has the total and each grant: permits of another semaphore, or lost ones, are not for it.';
const DELETED =
  'A number that is given in code makes what was flushed again, not what was deleted.';
const QUIET = 'Nothing is told where nobody could be served; a negative count hurts Java.';
const AVAILABLE = 'What is told is what is available, never the total nor the change.';
const LIVES_ON = 'A change leaves the life of the semaphore alone.';
const SHRINKS = 'Taking permits away tells nobody.';

const message = (count?: number): string | undefined =>
  count === undefined ? undefined : `publish redisson_sc:{NAME} ${count}`;

/** Java's payload and ours, of the same message. */
const told = (java: number | undefined, node?: number): Pick<Difference, 'java' | 'node'> =>
  lines(message(java), message(node));

export const countDifferences: readonly Difference[] = [
  {
    id: 'S9',
    says: REQUESTS,
    node: ['redlatch_requests:{NAME}:A zset 1800 s'],
    at: {
      semaphore: 'every step',
      'semaphore, fewer permits': 'every step',
      'semaphore, for a while': 'every step',
    },
  },
  {
    id: 'S9',
    says: REQUESTS,
    node: ['redlatch_requests:{NAME}:B zset 1800 s'],
    at: {
      semaphore: [
        'B gets what is released',
        'it is deleted',
        'it is deleted in vain',
        'a release makes it',
        'it is deleted again',
      ],
    },
  },
  {
    id: 'S6',
    says: MARKED,
    node: ['redlatch_permits:{NAME} hash 2592000 s'],
    at: {
      semaphore: [
        '3 are set',
        '5 are set in vain',
        '2 are taken',
        '2 are taken in vain',
        '1 is released',
        '2 are added',
        'all are drained',
        'B waits',
        'B gets what is released',
        'a release makes it',
      ],
      'semaphore, fewer permits': [
        '0 are set',
        '4 are added',
        '1 is taken away',
        '5 are taken away',
        '1 is released',
        'all are drained',
      ],
    },
  },
  {
    id: 'S6',
    says: MARKED,
    node: ['redlatch_permits:{NAME} hash 100 s'],
    at: {
      'semaphore, for a while': [
        '3 are set for 100 s',
        '1 is taken',
        '1 is released',
        '2 are added',
        '4 are set for 100 s',
        'all are drained',
      ],
    },
  },
  {
    id: 'S6',
    says: DELETED,
    node: ['redlatch_permits:{NAME} hash 86400 s'],
    at: {
      semaphore: ['it is deleted', 'it is deleted in vain', 'it is deleted again'],
      'semaphore, fewer permits': ['it is deleted'],
      'semaphore, for a while': ['it is deleted', 'it is deleted again'],
    },
  },
  {
    id: 'S6',
    says: DELETED,
    node: ['redlatch_deleted:{NAME} string 86400 s'],
    at: {
      permits: ['it is deleted', 'it is deleted in vain'],
      'permits, counts': ['it is deleted'],
      'permits, waited for': ['it is deleted'],
      'permits, expired': ['it is deleted'],
      'permits, for a while': ['it is deleted'],
    },
  },
  {
    id: 'L20',
    says: REQUESTS,
    node: ['redlatch_requests:{NAME}:A zset 1800 s'],
    at: {
      permits: 'every step',
      'permits, counts': 'every step',
      'permits, waited for': 'every step',
      'permits, expired': 'every step',
      'permits, for a while': 'every step',
    },
  },
  {
    id: 'L20',
    says: REQUESTS,
    node: ['redlatch_requests:{NAME}:B zset 1800 s'],
    at: { 'permits, waited for': ['B gets what is released', 'it is deleted'] },
  },
  {
    id: 'C6',
    says: REQUESTS,
    node: ['redlatch_requests:{NAME}:A zset 1800 s'],
    at: { latch: 'every step' },
  },
  {
    id: 'S4',
    says: QUIET,
    ...told(0),
    at: {
      'permits, counts': ['1 is released'],
    },
  },
  {
    id: 'S4',
    says: SHRINKS,
    ...told(3),
    at: { 'semaphore, fewer permits': ['1 is taken away'] },
  },
  {
    id: 'S4',
    says: QUIET,
    ...told(-2),
    at: { 'semaphore, fewer permits': ['5 are taken away'] },
  },
  {
    id: 'S4',
    says: QUIET,
    ...told(-1),
    at: { 'semaphore, fewer permits': ['1 is released'] },
  },
  {
    id: '§2.9',
    says: 'Draining takes what is left: it does not cancel the debt of a shrink.',
    java: ['NAME = 0', 'answers -1'],
    node: ['NAME = -1', 'answers 0'],
    at: { 'semaphore, fewer permits': ['all are drained'] },
  },
  {
    id: 'S5',
    says: LIVES_ON,
    ...lines('NAME string for ever', 'NAME string 100 s'),
    at: {
      'semaphore, for a while': ['2 are added', 'all are drained'],
      'permits, for a while': ['1 is added'],
    },
  },
  {
    id: 'P1',
    says: 'All permits that have expired are returned, in chunks, not only as many as are asked for.',
    java: ['NAME = 1', '{NAME}:timeout 16 bytes = in the past'],
    node: ['NAME = 2'],
    at: { 'permits, expired': ['1 is taken for 100 s'] },
  },
  {
    id: 'P5',
    says: 'Who sleeps until a permit ends is told when it is to end sooner.',
    ...told(undefined, 1),
    at: { permits: ['the first is shortened'] },
  },
  {
    id: 'P6',
    says: 'A permit without a lease of its own is renewed, and ends with its owner.',
    ...lines('{NAME}:timeout 16 bytes = never', '{NAME}:timeout 16 bytes = in 30 s'),
    at: { permits: ['1 is taken without a lease'] },
  },
  {
    id: 'P7',
    says: AVAILABLE,
    ...told(2, 3),
    at: { 'permits, counts': ['2 are added'] },
  },
  {
    id: 'P7',
    says: AVAILABLE,
    ...told(9, 8),
    at: { 'permits, counts': ['the total is set to 9'] },
  },
  {
    id: 'P7',
    says: AVAILABLE,
    ...told(5, 4),
    at: { 'permits, for a while': ['the total is set to 5'] },
  },
  {
    id: 'P7',
    says: AVAILABLE,
    ...told(1, 5),
    at: { 'permits, for a while': ['1 is added'] },
  },
  {
    id: 'P8',
    says: SHRINKS,
    ...told(4),
    at: { 'permits, counts': ['the total is set to 4'] },
  },
  {
    id: 'P8',
    says: SHRINKS,
    ...told(1),
    at: { 'permits, counts': ['the total is set to 1'] },
  },
  {
    id: 'C2',
    says: 'Deleting a latch lets those go that wait, Java among them.',
    ...lines(
      'publish redisson_countdownlatch__channel__{NAME} 1',
      'publish redisson_countdownlatch__channel__{NAME} 0',
    ),
    at: { latch: ['it is deleted'] },
  },
  {
    id: 'C5',
    says: 'The last zero is marked, for those who find the latch set again.',
    node: ['redlatch_opened:{NAME} string 600 s'],
    at: {
      latch: [
        'it counts down to 0',
        'it counts down in vain',
        'it is deleted',
        'it is deleted in vain',
        '0 are set',
        'it counts down in vain again',
      ],
    },
  },
  {
    id: 'C5',
    says: 'The latch is marked, for those who find the next one that is set.',
    node: ['redlatch_opened:{NAME} string 2592000 s'],
    at: {
      latch: ['2 are set', '3 are set in vain', 'it counts down', 'B waits', '1 is set'],
    },
  },
  {
    id: 'C7',
    says: 'A count of 0 is refused: its key would be in the way of the next one.',
    java: [
      'NAME = 0',
      'NAME string for ever',
      'answers "done"',
      'publish redisson_countdownlatch__channel__{NAME} 1',
    ],
    node: ['answers "refused"'],
    at: { latch: ['0 are set'] },
  },
  {
    id: '§2.11',
    says: 'Counting down a latch that is not there writes nothing, not for a moment.',
    java: ['for a moment NAME'],
    at: { latch: ['it counts down in vain'] },
  },
];
