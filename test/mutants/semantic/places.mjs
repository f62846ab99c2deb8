// @ts-check
// Mistakes about the places of waiters, and about many that give up together.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const places = [
  {
    id: 'place-lost',
    mistake: 'the waiter behind one that gives up asks at the end of the line',
    file: 'src/core/locks/hand-off-queue.ts',
    changes: [['this.#ask(head, ticket.placeFor(head.startedAt));', 'this.#ask(head, undefined);']],
    tests: [
      'test/integration/waiting/places.test.ts',
      'test/integration/hand-off/hand-off.test.ts',
    ],
  },
  {
    id: 'heads-asked-one-by-one',
    mistake: 'of many waiters that give up together each is asked for once',
    file: 'src/core/locks/hand-off-queue.ts',
    changes: [['      this.#headLeft.request();', '      this.#askForHead();']],
    tests: ['test/integration/waiting/together.test.ts'],
  },
  {
    id: 'granted-behind-back',
    mistake: 'a reader that gives up keeps what an ask for several has brought it meanwhile',
    file: 'src/rwlock/reader-queue.ts',
    changes: [['      this.#takeBack(gone, mayRun);\n', '']],
    tests: ['test/faults/leaving-readers.test.ts'],
  },
  {
    id: 'last-readers-stay',
    mistake: 'readers that give up together do not take back what their ask may bring',
    file: 'src/rwlock/reader-queue.ts',
    changes: [['      this.#takeBack(tickets, true, call);\n', '']],
    tests: ['test/faults/leaving-readers.test.ts'],
  },
  {
    id: 'left-readers-return',
    mistake: 'a late copy of an ask lets readers in that have given up together',
    file: 'lua/rwlock/release-read.lua',
    changes: [['for i = others_at + 1, #KEYS, 2 do', 'for i = #KEYS + 1, #KEYS, 2 do']],
    tests: ['test/integration/scripts/readers.test.ts', 'test/faults/leaving-readers.test.ts'],
  },
  {
    id: 'entries-leave-one-by-one',
    mistake: 'of many waiters for a fair lock that give up together each sends a command',
    file: 'src/lock/fair-leavers.ts',
    changes: [['const LEAVE_PER_COMMAND = 100;', 'const LEAVE_PER_COMMAND = 1;']],
    tests: ['test/integration/waiting/together.test.ts'],
  },
  {
    id: 'granted-one-leaves-lock',
    mistake: 'a waiter that gives up with others keeps the lock that it was granted meanwhile',
    file: 'lua/fair-lock/release.lua',
    changes: [['for i = 6, held == 0 and #ARGV or 0 do', 'for i = 6, 0 do']],
    tests: ['test/integration/scripts/fair-tickets.test.ts'],
  },
  {
    id: 'replaced-ticket-stays',
    mistake: 'a ticket whose place another one took stays in the line',
    file: 'lua/lib/line_replace.lua',
    changes: [["      redis.call('LREM', line, 1, old)\n", '']],
    tests: ['test/integration/scripts/places.test.ts'],
  },
  {
    id: 'given-up-place-stays',
    mistake: 'a ticket that is given up while it takes a place leaves that in the line',
    file: 'src/core/locks/asked-ticket.ts',
    changes: [
      ['      this.asks.cancel({ holderId: place.holderId, hasUnackedCopy: false });\n', ''],
    ],
    tests: ['test/unit/taken-places.test.ts'],
  },
  {
    id: 'writer-before-reader',
    mistake: 'a writer takes the place of one that has left before a reader that asked earlier',
    file: 'lua/lib/rw_replace.lua',
    changes: [['rank = is_behind and math.max(since, rank) or since', 'rank = since']],
    tests: ['test/integration/scripts/places.test.ts', 'test/integration/rwlock/leaving.test.ts'],
  },
  {
    id: 'writer-rank-unbounded',
    mistake: 'a client may say that its writer waits since before the one whose place it takes',
    file: 'lua/lib/rw_replace.lua',
    changes: [
      ['rank = is_behind and math.max(since, rank) or since', 'rank = is_behind and rank or since'],
    ],
    tests: ['test/integration/scripts/places.test.ts'],
  },
  {
    id: 'reader-rank-unbounded',
    mistake: 'a client may say that its reader will begin to wait',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [['math.min(since, new_since or since)', 'since']],
    tests: ['test/integration/scripts/places.test.ts'],
  },
  {
    id: 'readers-not-asked-for-forgotten',
    mistake: 'a client leaves the wait queue while it has readers that it has not asked for',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [['if rest > 0 then', 'if rest < 0 then']],
    tests: ['test/integration/scripts/places.test.ts'],
  },
  {
    id: 'late-grant-given-back',
    mistake: 'a message about a ticket whose place another one took gives back what is not there',
    file: 'src/core/locks/hand-offs.ts',
    changes: [['!this.#replaced.get(holderId).isReplaced', 'true']],
    tests: ['test/integration/hand-off/replaced.test.ts'],
  },
  {
    id: 'rank-across-step',
    mistake: 'a waiter states a rank that a step of the clock of its client has moved',
    file: 'src/core/locks/proof.ts',
    changes: [['return hasStepped ? 0 : Math', 'return hasStepped && clock.now() < 0 ? 0 : Math']],
    tests: ['test/unit/reader-queue.test.ts', 'test/unit/taken-places.test.ts'],
  },
  {
    id: 'reader-behind-has-no-rank',
    mistake: 'a reader behind another one of its client waits since it was asked for',
    file: 'src/rwlock/reader-queue.ts',
    changes: [['return rank || rankAt(', 'return rank || 0 * rankAt(']],
    tests: ['test/unit/reader-queue.test.ts', 'test/integration/rwlock/reader-order.test.ts'],
  },
];
