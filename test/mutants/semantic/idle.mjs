// @ts-check
// Mistakes about when a lock may next come free.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const idle = [
  {
    id: 'line-end-unknown',
    mistake: 'a new waiter sleeps by the lease of the holder, whatever the one before it asks for',
    file: 'lua/lib/lock_enter.lua',
    changes: [
      [
        'ahead_ms(left_ms, line_before(line, tickets, holder))',
        'math.max(left_ms, ahead_ms(left_ms, line_before(line, tickets, holder)))',
      ],
    ],
    tests: ['test/integration/scripts/rechecks.test.ts'],
  },
  {
    id: 'line-end-unknown-later',
    mistake: 'a waiter sleeps by the lease of the holder once it has asked again',
    file: 'lua/lock/recheck.lua',
    changes: [
      [
        'ahead_ms(left_ms, line_before(line, tickets, holder))',
        'math.max(left_ms, ahead_ms(left_ms, line_before(line, tickets, holder)))',
      ],
    ],
    tests: ['test/integration/scripts/rechecks.test.ts'],
  },
  {
    id: 'fair-end-unknown',
    mistake: 'a waiter for a fair lock sleeps by the lease of the holder',
    file: 'lua/fair-lock/acquire.lua',
    changes: [
      [
        "ahead_ms(left, ticket and string.match(ticket, '^%d+'))",
        "math.max(left, ahead_ms(left, ticket and string.match(ticket, '^%d+')))",
      ],
    ],
    tests: ['test/integration/hand-off/idle.test.ts'],
  },
  {
    id: 'writers-end-unknown',
    mistake: 'a writer sleeps by the lease of the holder',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [
      [
        'ahead_ms(left_ms, rw_before(keys, since))',
        'math.max(left_ms, ahead_ms(left_ms, rw_before(keys, since)))',
      ],
    ],
    tests: ['test/integration/hand-off/idle.test.ts'],
  },
  {
    id: 'readers-end-untold',
    mistake: 'a writer is not told of readers whose leases are short',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [['elseif is_short and writer then', 'elseif is_short and not writer then']],
    tests: ['test/integration/hand-off/idle.test.ts'],
  },
  {
    id: 'shorter-reads-untold',
    mistake: 'a writer is not told that the reader with the longest lease is out',
    file: 'lua/rwlock/release-read.lua',
    changes: [['left_ms < ABSENT_MS / 3', 'left_ms < 0']],
    tests: ['test/integration/hand-off/idle.test.ts'],
  },
  {
    id: 'fair-end-forgotten',
    mistake:
      'what a waiter for a fair lock knew of the one before it is forgotten when it is the first here',
    file: 'src/lock/fair-hand-off-queue.ts',
    changes: [[' || clock.now() + pauseMs < this.#dueAt', '']],
    tests: ['test/integration/hand-off/idle.test.ts'],
  },
];
