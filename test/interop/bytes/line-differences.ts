// What those leave or hear otherwise than Java that wait for a lock of ours, in its line.

import { lines, type Difference } from './difference.js';

const HANDED =
  'A lock that is waited for is given to the next in its line: nobody is told that it is free.';
const HEARD =
  'A channel of an ended wait is kept for a second, and that of a lock until it is released.';
const TOKENS = 'A grant to somebody who has waited comes with sixteen tokens, for a run of holds.';

/** Of a lock that was waited for: a message of Java's that nobody needs. */
const handed = (section: string, message: string, at: Difference['at']): Difference => ({
  id: section,
  says: HANDED,
  ...lines(message),
  at,
});

const plainHeard = (at: Difference['at']): Difference => ({
  id: '§2.1',
  says: HEARD,
  ...lines(undefined, 'listens redisson_lock__channel:{NAME}'),
  at,
});

const token = (java: string, node: string, steps: readonly string[]): Difference => ({
  id: 'E5',
  says: TOKENS,
  ...lines(
    `redisson_lock_token:{NAME} = 90071992547${java}`,
    `redisson_lock_token:{NAME} = 90071992547${node}`,
  ),
  at: { 'fenced lock, large tokens': steps },
});

export const lineDifferences: readonly Difference[] = [
  handed('§2.1', 'publish redisson_lock__channel:{NAME} 0', {
    'lock, waited for': ['A lets B in'],
    'fenced lock, large tokens': ['A lets B in'],
  }),
  plainHeard({
    'lock, waited for': ['A lets B in', 'B releases'],
    'fenced lock, large tokens': [
      'A lets B in',
      'B is forced out',
      'A acquires for 100 s',
      'A acquires again',
      'A releases one',
      'A releases all',
    ],
  }),
  handed('§2.2', 'publish redisson_lock__channel:{NAME}:B:1 0', {
    'fair lock, queue': ['A lets B in'],
    'fair lock, patience': ['A lets B in'],
  }),
  handed('§2.2', 'publish redisson_lock__channel:{NAME}:C:1 0', {
    'fair lock, queue': ['B lets C in'],
    'fair lock, patience': ['B lets C in'],
  }),
  handed('§2.2', 'publish redisson_lock__channel:{NAME}:A:1 0', {
    'fair lock, queue': ['C is forced out, and A comes in'],
  }),
  handed('§2.2', 'listens redisson_lock__channel:{NAME}:C:1', {
    'fair lock, queue': ['C waits', 'A lets B in'],
    'fair lock, patience': ['C waits behind A, who gives up'],
  }),
  handed('§2.2', 'listens redisson_lock__channel:{NAME}:A:1', { 'fair lock, queue': ['A waits'] }),
  {
    id: '§2.2',
    says: HEARD,
    ...lines(undefined, 'listens redisson_lock__channel:{NAME}:B:1'),
    at: {
      'fair lock, queue': [
        'A lets B in',
        'A waits',
        'B lets C in',
        'C is forced out, and A comes in',
        'A releases',
      ],
      'fair lock, patience': ['A lets B in'],
    },
  },
  handed('§2.6', 'publish redisson_rwlock:{NAME} 0', {
    'write lock, behind a reader': ['A lets B in'],
  }),
  handed('§2.6', 'listens redisson_rwlock:{NAME}', { 'write lock, behind a reader': ['B waits'] }),
  token('40995', '41010', ['A lets B in', 'B is forced out']),
  token('40996', '41011', ['A acquires for 100 s']),
];
