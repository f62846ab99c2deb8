// @ts-check
// Mistakes about the number of permits that a client was told, and about semaphores that are made.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const settings = [
  {
    id: 'refusal-unknown',
    mistake: 'a call that is refused after its first reply was lost is told as unknown',
    file: 'src/core/wire/call.ts',
    changes: [['      this.unackedCopies = 0;\n', '']],
    tests: ['test/unit/call.test.ts', 'test/faults/known-outcomes.test.ts'],
  },
  {
    id: 'made-in-silence',
    mistake: 'whoever makes a semaphore and takes all of it notifies no waiter',
    file: 'lua/semaphore/acquire.lua',
    changes: [
      ['return notify_made(answer, available,', 'return notify_available(answer, available,'],
      ['-- include lib/notify_made\n', ''],
    ],
    tests: ['test/integration/told-permits/made-empty.test.ts'],
  },
  {
    id: 'news-of-none',
    mistake:
      'a waiter that knows of no semaphore does not ask when it hears that one has 0 permits',
    file: 'src/core/permits/permit-news.ts',
    changes: [['(this.isUninitialised ? 0 : count)', 'count']],
    tests: ['test/integration/told-permits/made-empty.test.ts'],
  },
  {
    id: 'deletion-unmarked',
    mistake: 'the deletion of a counting semaphore is forgotten',
    file: 'lua/semaphore/delete.lua',
    changes: [
      [
        "  redis.call('HSET', KEYS[3], 'deleted', 1)\n  redis.call('PEXPIRE', KEYS[3], DELETED_TTL_MS)\n",
        '',
      ],
    ],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'leases-deletion-unmarked',
    mistake: 'the deletion of a permit-expirable semaphore is forgotten',
    file: 'lua/expirable-semaphore/delete.lua',
    changes: [["  redis.call('SET', KEYS[5], 1, 'PX', DELETED_TTL_MS)\n", '']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'deletion-unheeded',
    mistake: 'a number that is stated again makes a semaphore that was deleted',
    file: 'lua/lib/permits_setting.lua',
    changes: [
      ["if not exists and (statement == '1' or not is_deleted) then", 'if not exists then'],
    ],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'first-statement-heeds',
    mistake:
      'a number that is stated for the first time does not make a semaphore that was deleted',
    file: 'lua/lib/permits_setting.lua',
    changes: [["(statement == '1' or not is_deleted)", 'not is_deleted']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'absent-unnoticed',
    mistake: 'a client that finds no semaphore does not state its number again',
    file: 'src/core/permits/told-permits.ts',
    changes: [['isDue: true, semaphoreId: undefined', 'semaphoreId: undefined']],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'attempt-finds-none',
    mistake: 'a single attempt that finds no semaphore does not ask again',
    file: 'src/core/permits/permit-queue.ts',
    changes: [['first.waits || answer.exists === false', 'first.waits']],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'bare-release-makes-own',
    mistake: 'a release without proof makes a semaphore of its own permits after a flush',
    file: 'src/semaphore/protocol.ts',
    changes: [
      [
        "mark !== '' ? undefined : this.#allTold.carryAlways(this)",
        "mark !== '' ? undefined : this.#allTold.carry(this)",
      ],
    ],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'successor-uncompared',
    mistake: 'a semaphore that somebody else has made since is not compared',
    file: 'src/core/permits/told-permits.ts',
    changes: [['const isAnother = told.semaphoreId !== undefined;', 'const isAnother = false;']],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'deletion-below-another',
    mistake: 'a deletion is still known where the semaphore was made since',
    file: 'lua/lib/permits_revive.lua',
    changes: [["    redis.call('DEL', key)\n", '']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'deleted-asked-each-time',
    mistake: 'each wait for a semaphore that was deleted asks for it',
    file: 'src/core/permits/permit-queue.ts',
    changes: [['this.#source.carried(refusal.setting)', 'this.#source.carried()']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'gone-release-unseen',
    mistake: 'a release that finds no semaphore does not show it',
    file: 'src/semaphore/answers.ts',
    changes: [
      [
        'const exists = mark !== NO_SEMAPHORE;',
        'const exists = mark !== NO_SEMAPHORE || undefined;',
      ],
    ],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
];
