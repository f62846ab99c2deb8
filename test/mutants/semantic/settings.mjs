// @ts-check
// Mistakes about the number of permits that an object declares, and about semaphores that are made.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const settings = [
  {
    id: 'wait-of-attempts',
    mistake: 'the wait of a client is that of tryAcquire too',
    file: 'src/core/locks/locking.ts',
    changes: [['waiting ? settings.waitMs : 0', 'settings.waitMs']],
    tests: ['test/integration/waiting/client-wait.test.ts'],
  },
  {
    id: 'wait-over-its-own',
    mistake: 'the wait of a client wins over that of a call',
    file: 'src/core/base/arguments.ts',
    changes: [
      ['waitMs: waitMs === undefined ? defaultMs', 'waitMs: defaultMs !== undefined ? defaultMs'],
    ],
    tests: ['test/integration/waiting/client-wait.test.ts'],
  },
  {
    id: 'refusal-unknown',
    mistake: 'a call that is refused after its first reply was lost is told as unknown',
    file: 'src/core/wire/call.ts',
    changes: [['      this.unackedCopies = 0;\n', '']],
    tests: ['test/unit/call.test.ts', 'test/faults/known-outcomes.test.ts'],
  },
  {
    id: 'made-in-silence',
    mistake: 'whoever makes a semaphore of which nothing is left notifies no waiter',
    file: 'lua/semaphore/configure.lua',
    changes: [
      ['return notify_made(answer, made,', 'return notify_available(answer, made,'],
      ['-- include lib/notify_made', '-- include lib/notify_available'],
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
    changes: [["if statement == '1' or not is_deleted then", 'if true then']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'first-statement-heeds',
    mistake:
      'a number that is stated for the first time does not make a semaphore that was deleted',
    file: 'lua/lib/permits_setting.lua',
    changes: [["if statement == '1' or not is_deleted then", 'if not is_deleted then']],
    tests: ['test/integration/told-permits/deleted.test.ts'],
  },
  {
    id: 'absent-unnoticed',
    mistake: 'a client that finds no semaphore does not state its number again',
    file: 'src/core/permits/waiters-numbers.ts',
    changes: [['number.again()', 'Promise.resolve()']],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'bare-release-makes-own',
    mistake: 'a release without proof makes a semaphore of its own permits after a flush',
    file: 'src/semaphore/protocol.ts',
    changes: [["mark !== '' ? '' : declaredIdle(this.number)", "''"]],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
  {
    id: 'successor-uncompared',
    mistake: 'what is left of a semaphore that Java has made since is not compared',
    file: 'src/core/permits/declared-number.ts',
    changes: [['statement?.isOfUnknown === false', 'statement === undefined']],
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
    id: 'statement-behind-a-refusal',
    mistake: 'an attempt behind a wait that was refused is refused too, though it states a number',
    file: 'src/core/permits/waiters-numbers.ts',
    changes: [['this.statements += 1;', '']],
    tests: ['test/integration/told-permits/behind-waiters.test.ts'],
  },
  {
    id: 'judged-by-nobody',
    mistake: 'a grant of another number than the object takes is not given back',
    file: 'src/expirable-semaphore/acquisition.ts',
    changes: [
      [
        'const error = this.number?.judge(answer);',
        'const error = undefined as Error | undefined;',
      ],
    ],
    tests: ['test/integration/told-permits/own-number.test.ts'],
  },
  {
    id: 'waits-for-another-number',
    mistake: 'a wait of an object that takes no other number goes on when there is one',
    file: 'src/core/permits/waiters-numbers.ts',
    changes: [
      [
        'const error = waiter.number?.judge(answer);',
        'const error = undefined as Error | undefined;',
      ],
    ],
    tests: ['test/integration/told-permits/own-number.test.ts'],
  },
  {
    id: 'agreement-for-ever',
    mistake: 'an object that was shown another number does not ask by configure first',
    file: 'src/core/permits/declared-number.ts',
    changes: [["onMismatch === 'error' && !statement.isAgreed", 'false']],
    tests: ['test/integration/told-permits/mismatch.test.ts'],
  },
  {
    id: 'older-statement-replaces',
    mistake: 'an old process that restarts in a deploy sets its number again',
    file: 'lua/lib/permits_statement.lua',
    changes: [
      [
        'return not total and tonumber(newest.count) or nil, newest.left',
        'return tonumber(count), -1',
      ],
    ],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'statement-for-ever',
    mistake: 'a statement that nobody keeps alive stands for ever',
    file: 'lua/lib/permits_statement.lua',
    changes: [['is_newer and each.left > 0 and', 'is_newer and']],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'kept-alive-by-nobody',
    mistake: 'a client does not keep its statement alive',
    file: 'src/core/permits/declared-number.ts',
    changes: [['this.#services.clock.now() >= statement.keepAt', 'false']],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'set-by-hand-unstated',
    mistake: 'setPermits leaves the statements of others as new as they were',
    file: 'lua/expirable-semaphore/resize.lua',
    changes: [["if is_stated and ARGV[3] == 'to' then", 'if false then']],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'replaced-for-ever',
    mistake: 'a client that runs is not told that the number which replaced its own gives way',
    file: 'lua/lib/permits_statement.lua',
    changes: [['return nil, is_set and -1 or left_ms', 'return nil, -1']],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'stated-long-ago',
    mistake: 'a number that nobody has used for a day is an old one for ever',
    file: 'lua/lib/statements_read.lua',
    changes: [['if now - kept_ms < STATED_TTL_MS then', 'if true then']],
    tests: ['test/simulation/statements.test.ts'],
  },
  {
    id: 'kept-alive-ahead',
    mistake: 'after the clock was set back a number stands for as long as the step',
    file: 'lua/lib/statements_read.lua',
    changes: [['math.min(tonumber(kept), now)', 'tonumber(kept)']],
    tests: ['test/integration/scripts/clock-back-statements.test.ts'],
  },
  {
    id: 'older-after-step',
    mistake: 'after the clock was set back a number that is stated is an old one',
    file: 'lua/lib/statement_since.lua',
    changes: [['math.max(since, each.since + 1)', 'since']],
    tests: ['test/integration/scripts/clock-back-statements.test.ts'],
  },
  {
    id: 'refused-for-another',
    mistake: 'that there is no semaphore refuses an attempt that could make it',
    file: 'src/core/permits/permit-queue.ts',
    changes: [[' && !(heals && number !== undefined)', '']],
    tests: ['test/simulation/undeclared-ahead.test.ts'],
  },
  {
    id: 'first-for-each-setting',
    mistake: 'a client makes what it has deleted, by another object of the same number',
    file: 'src/core/permits/declared-number.ts',
    changes: [['this.#statements.knows(this.#number) ? OTHERWISE : FIRST', 'FIRST']],
    tests: ['test/simulation/stated-once.test.ts'],
  },
  {
    id: 'gone-release-unseen',
    mistake: 'a release that finds no semaphore does not show it',
    file: 'src/semaphore/answers.ts',
    changes: [
      [
        'const shown = { mark, above: Math.max(above, 0), total, ...semaphoreOf(mark) };',
        'const { exists: _, ...known } = semaphoreOf(mark);\n    const shown = { mark, above: Math.max(above, 0), total, ...known };',
      ],
    ],
    tests: ['test/integration/told-permits/flushed.test.ts'],
  },
];
