// What we leave or tell otherwise than Redisson's locks, on purpose.

import { lines, type Difference } from './difference.js';

const READERS = 'The end of each lease of ours, so that nobody walks all readers to find the last.';
const WAITERS = 'Who waits stands in a line, so that neither readers nor writers starve.';
const QUEUE =
  'An absent waiter of ours is known by its silence, and a deserted queue ends by itself.';
const LONGEST = 'The longest lease counts, and nothing that a holder does makes it shorter.';
const SCORE = 'Who waits renews its score, so that Java drops it soon after it has died.';

const queue = (life: string): Pick<Difference, 'java' | 'node'> => ({
  java: ['redisson_lock_queue:{NAME} list for ever', 'redisson_lock_timeout:{NAME} zset for ever'],
  node: [
    `redlatch_beats:{NAME} zset ${life}`,
    `redisson_lock_queue:{NAME} list ${life}`,
    `redisson_lock_timeout:{NAME} zset ${life}`,
  ],
});

/** 5 s ahead, where nobody of Java stands before it. */
const score = (holder: string, java: number): Pick<Difference, 'java' | 'node'> =>
  lines(
    `redisson_lock_timeout:{NAME} ${holder} = in ${java} s`,
    `redisson_lock_timeout:{NAME} ${holder} = in 6 s`,
  );

const leases = (java: number, node: number): Pick<Difference, 'java' | 'node'> =>
  lines(`NAME hash ${java} s`, `NAME hash ${node} s`);

export const lockDifferences: readonly Difference[] = [
  {
    id: 'L3',
    says: LONGEST,
    ...leases(30, 100),
    at: {
      'lock, shorter lease': ['A releases one'],
      'fenced lock, large tokens': ['A releases one'],
      'write lock, downgrade': ['A releases one'],
    },
  },
  {
    id: 'L4',
    says: LONGEST,
    ...leases(20, 100),
    at: { 'lock, shorter lease': ['A acquires again for 20 s'] },
  },
  {
    id: 'L10',
    says: 'A read that a writer takes after its first one has an id that was never granted before.',
    java: [
      'NAME A:1 = 1',
      '{NAME}:A:1:rwlock_timeout:1 = 1',
      '{NAME}:A:1:rwlock_timeout:1 string 100 s',
    ],
    node: [
      'NAME A:2 = 1',
      '{NAME}:A:2:rwlock_timeout:1 = 1',
      '{NAME}:A:2:rwlock_timeout:1 string 100 s',
    ],
    at: { 'write lock, downgrade': ['A reads once more'] },
  },
  {
    id: 'L15',
    says: 'Java notes what became of an unlock; we state outcomes, which may be stated twice.',
    java: ['for a moment redisson_unlock_latch:{NAME}:<32 hex>'],
    at: {
      lock: ['A releases one', 'A releases all'],
      'lock, waited for': ['A lets B in', 'B releases'],
      'lock, renewed': ['A releases one', 'A releases all'],
      'lock, shorter lease': ['A releases one', 'A releases all'],
      'fair lock': ['A releases one', 'A releases all', 'A releases what it has lost'],
      'fair lock, queue': ['A lets B in', 'B lets C in', 'A releases'],
      'fair lock, patience': ['A lets B in', 'B lets C in', 'C releases'],
      'fair lock, renewed': ['A releases one', 'A releases all'],
      'fenced lock, first token': ['A releases'],
      'fenced lock, large tokens': ['A lets B in', 'A releases one', 'A releases all'],
      'read lock': ['A releases one', 'A releases all', 'A releases what it has lost'],
      'read lock, several readers': [
        'A releases one',
        'A releases all',
        'B, the longer one, releases',
        'A releases, too',
      ],
      'read lock, behind a writer': ['A lets B in', 'B releases'],
      'read lock, renewed': ['A releases one', 'A releases all'],
      'write lock': ['A releases one', 'A releases all', 'A releases what it has lost'],
      'write lock, downgrade': [
        'A releases one',
        'A reads once less',
        'A reads no more',
        'A goes on as a reader',
        'A releases all',
      ],
      'write lock, short reads': ['A reads once less'],
      'write lock, behind a reader': ['A lets B in', 'B releases'],
      'write lock, renewed': ['A releases one', 'A releases all'],
    },
  },
  {
    id: 'E5',
    says: 'A hold has its own token, which a re-entry leaves alone.',
    ...lines(
      'redisson_lock_token:{NAME} = 9007199254740997',
      'redisson_lock_token:{NAME} = 9007199254741011',
    ),
    at: { 'fenced lock, large tokens': ['A acquires again', 'A releases one', 'A releases all'] },
  },
  {
    id: 'E6',
    says: 'Tokens begin at the time of the server, so that they grow after a counter was lost.',
    ...lines('redisson_lock_token:{NAME} = 1', 'redisson_lock_token:{NAME} = <microseconds>'),
    at: { 'fenced lock, first token': ['A acquires', 'A releases'] },
  },
  {
    id: 'Q2',
    says: QUEUE,
    ...queue('605 s'),
    at: {
      'fair lock, queue': ['B waits', 'C waits', 'A lets B in', 'A waits'],
      'fair lock, patience': ['B waits for 100 s', 'C waits behind A, who gives up'],
    },
  },
  {
    id: 'Q2',
    says: SCORE,
    ...score('A:1', 330),
    at: { 'fair lock, queue': ['A waits'] },
  },
  {
    id: 'Q2',
    says: SCORE,
    ...score('B:1', 330),
    at: { 'fair lock, queue': ['B waits', 'C waits'] },
  },
  {
    id: 'Q2',
    says: SCORE,
    ...score('B:1', 130),
    at: { 'fair lock, patience': ['B waits for 100 s'] },
  },
  {
    id: 'Q2',
    says: SCORE,
    ...score('C:1', 630),
    at: { 'fair lock, queue': ['C waits'] },
  },
  {
    id: 'Q2',
    says: SCORE,
    ...score('C:1', 330),
    at: {
      'fair lock, queue': ['A lets B in'],
      'fair lock, patience': ['C waits behind A, who gives up'],
    },
  },
  {
    id: 'Q9',
    says: 'Whoever releases a lock that it has lost is told so.',
    ...lines('answers "done"', 'answers "refused"'),
    at: { 'fair lock': ['A releases what it has lost'] },
  },
  {
    id: 'R1',
    says: 'A writer that goes on as a reader lets the readers in that wait.',
    ...lines(undefined, 'publish redisson_rwlock:{NAME} 1'),
    at: { 'write lock, downgrade': ['A goes on as a reader'] },
  },
  {
    id: 'R3',
    says: WAITERS,
    node: ['redlatch_beats:{NAME} zset 600 s', 'redlatch_waiting:{NAME} zset 600 s'],
    at: { 'read lock, behind a writer': ['B waits'] },
  },
  {
    id: 'R3',
    says: WAITERS,
    node: ['redlatch_beats:{NAME} zset 600 s', 'redlatch_writers:{NAME} zset 600 s'],
    at: { 'write lock, behind a reader': ['B waits'] },
  },
  {
    id: 'R5',
    says: LONGEST,
    ...leases(30, 100),
    at: { 'read lock, several readers': ['B, the longer one, releases'] },
  },
  {
    id: 'R5',
    says: LONGEST,
    ...leases(20, 100),
    at: { 'write lock, short reads': ['A reads once less'] },
  },
  {
    id: 'R6',
    says: LONGEST,
    ...leases(60, 30),
    at: { 'write lock': ['A acquires again'] },
  },
  {
    id: 'R6',
    says: LONGEST,
    ...leases(200, 100),
    at: { 'write lock, downgrade': ['A writes again for 100 s'] },
  },
  {
    id: 'R7',
    says: READERS,
    node: ['redlatch_readers:{NAME} zset 6 s'],
    at: { 'read lock, renewed': ['A holds twice, and is renewed', 'A releases one'] },
  },
  {
    id: 'R7',
    says: READERS,
    node: ['redlatch_readers:{NAME} zset 30 s'],
    at: {
      'read lock': ['A acquires', 'A acquires again', 'A releases one'],
      'read lock, several readers': ['A reads'],
      'read lock, behind a writer': ['A lets B in'],
      'write lock, behind a reader': ['A acquires', 'B asks', 'B waits'],
    },
  },
  {
    id: 'R7',
    says: READERS,
    node: ['redlatch_readers:{NAME} zset 100 s'],
    at: {
      'read lock': ['A acquires for 100 s'],
      'read lock, several readers': [
        'B reads for 100 s',
        'A reads again',
        'A releases one',
        'A releases all',
        'A reads once more',
        'B, the longer one, releases',
      ],
      'write lock, downgrade': [
        'A reads, too',
        'A reads again',
        'A reads once less',
        'A reads once more',
        'A goes on as a reader',
      ],
      'write lock, short reads': [
        'A reads for 20 s',
        'A reads again for 20 s',
        'A reads once less',
      ],
    },
  },
  {
    id: 'R9',
    says: 'A release of what is gone tells nobody anything.',
    ...lines('publish redisson_rwlock:{NAME} 0'),
    at: { 'read lock': ['A releases what it has lost'] },
  },
  {
    id: 'R9',
    says: 'A release of what is gone tells nobody anything.',
    ...lines('publish redisson_rwlock:{NAME} 1'),
    at: { 'write lock': ['A releases what it has lost'] },
  },
  {
    id: 'R10',
    says: 'Whoever is forced out takes its hold keys along.',
    java: ['{NAME}:A:1:rwlock_timeout:1 = 1', '{NAME}:A:1:rwlock_timeout:1 string 100 s'],
    at: { 'read lock': ['A is forced out', 'a free one is forced', 'A releases what it has lost'] },
  },
  {
    id: 'R10',
    says: 'Whoever is forced out takes its hold keys along.',
    java: ['{NAME}:A:1:rwlock_timeout:1 = 1', '{NAME}:A:1:rwlock_timeout:1 string 20 s'],
    at: { 'write lock, short reads': ['A is forced out'] },
  },
];
