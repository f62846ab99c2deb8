// @ts-check
// Mistakes about latches and their waiters.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const latches = [
  {
    id: 'latch-zero-missed',
    mistake: 'the waiter of a latch that is set again at once after zero sleeps on',
    file: 'src/latch/waiter.ts',
    changes: [["mark !== '' && mark !== this.#mark", "mark === '' && mark !== this.#mark"]],
    tests: ['test/integration/latch/generations.test.ts', 'test/integration/latch/wait.test.ts'],
  },
  {
    id: 'latch-unmarked',
    mistake: 'a latch that is set has the mark of the one before it',
    file: 'lua/latch/try-set-count.lua',
    changes: [
      ["redis.call('SET', KEYS[2], mark, 'PX'", "redis.call('SET', KEYS[2], mark, 'NX', 'PX'"],
    ],
    tests: ['test/integration/latch/successors.test.ts'],
  },
  {
    id: 'latch-end-unseen',
    mistake: 'the waiter of a latch that reached its end and was set again by Java sleeps on',
    file: 'src/latch/waiter.ts',
    changes: [['isMarked || now > this.#endsAt', 'isMarked']],
    tests: ['test/unit/latch-waiter.test.ts', 'test/integration/latch/successors.test.ts'],
  },
  {
    id: 'latch-early-end',
    mistake: 'the waiter of a latch takes it for over when its last second has begun',
    file: 'src/latch/waiter.ts',
    changes: [['now > this.#endsAt', 'now + 1_000 > this.#endsAt']],
    tests: ['test/unit/latch-waiter.test.ts', 'test/simulation/simulation.test.ts'],
  },
  {
    id: 'latch-first-end',
    mistake: 'a latch whose end was put off by hand lets its waiters go at the first one',
    file: 'src/latch/waiter.ts',
    changes: [
      [
        'this.#endsAt = view.ttlMs < 0 ? Number.POSITIVE_INFINITY : view.now + view.ttlMs;',
        'this.#endsAt = view.ttlMs < 0 ? this.#endsAt : Math.min(this.#endsAt, view.now + view.ttlMs);',
      ],
    ],
    tests: ['test/unit/latch-waiter.test.ts', 'test/integration/latch/successors.test.ts'],
  },
  {
    id: 'latch-old-poll',
    mistake: 'a waiter of a latch is answered by a poll that was sent before it came',
    file: 'src/latch/shared-poll.ts',
    changes: [
      ['this.#watchers.set(watcher, this.#polls + 1)', 'this.#watchers.set(watcher, this.#polls)'],
    ],
    tests: ['test/unit/shared-poll.test.ts'],
  },
  {
    id: 'latch-below-zero',
    mistake: 'a latch is counted down below zero, or opened by a count-down that finds none',
    file: 'lua/latch/count-down.lua',
    changes: [['if count > 1 then', 'if count > 0 then']],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
];
