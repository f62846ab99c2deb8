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
];
