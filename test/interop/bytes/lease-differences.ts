// What we leave of the leases of permits, on purpose.

import type { Difference } from './difference.js';

const LEASED =
  'What we wrote of a lease is recorded, so that a clock that is set back does not prolong it.';

export const leaseDifferences: readonly Difference[] = [
  {
    id: 'P2',
    says: LEASED,
    node: ['redlatch_leases:{NAME} zset 2592000 s'],
    at: {
      permits: [
        '1 is taken for 100 s',
        '2 are taken for 100 s',
        'the first is prolonged',
        'the first is shortened',
        'the first is released',
        'the first is prolonged in vain',
        'the first is released in vain',
        'an unknown one is released',
        'the second is released',
        '1 is taken without a lease',
      ],
      'permits, counts': [
        '2 are taken for 100 s',
        '2 are added',
        'the total is set to 4',
        'the total is set to 1',
        '1 is released',
        '3 are added',
        'the total is set to 9',
      ],
      'permits, waited for': ['1 is taken for 100 s', 'B waits', 'B gets what is released'],
      'permits, expired': ['2 are taken, and expire', '1 is taken for 100 s'],
    },
  },
  {
    id: 'P2',
    says: LEASED,
    node: ['redlatch_leases:{NAME} zset 100 s'],
    at: {
      'permits, for a while': [
        '1 is taken for 30 s',
        'it is prolonged',
        'the total is set to 5',
        '1 is added',
      ],
    },
  },
  {
    id: 'P2',
    says: 'The number of permits is recorded beside the leases, so that those that are evicted come back.',
    node: ['redlatch_leases:{NAME} zset 2592000 s'],
    at: {
      permits: ['4 are set', '5 are set in vain', 'that is released', 'the last is released'],
      'permits, counts': ['0 are set', 'the total is set to 3', 'the total is set to 3 again'],
      'permits, waited for': ['1 is set'],
      'permits, expired': ['3 are set'],
      'permits, for a while': ['3 are set', 'they get 100 s'],
    },
  },
];
