// @ts-check
// Mistakes about waits that run out: what proves that others have it.

const CONTENTION = 'src/core/waiting/contention.ts';
const units = ['test/unit/contention.test.ts'];
const dead = ['test/faults/dead-waits.test.ts'];
const refused = ['test/faults/refused-waits.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const contention = [
  {
    id: 'holders-for-null',
    mistake: 'an attempt that resolves with null asks who has it',
    file: 'src/core/locks/locking.ts',
    changes: [['rejects: waiting', 'rejects: true']],
    tests: ['test/integration/waiting/last-seen.test.ts'],
  },
  {
    id: 'holders-stand-still',
    mistake: 'the leases of holders that were seen do not run on',
    file: 'src/core/observe/last-seen.ts',
    changes: [['remainingMs - passedMs', 'remainingMs']],
    tests: ['test/unit/last-seen.test.ts'],
  },
  {
    id: 'holders-each-look',
    mistake: 'waits that end together ask for the holders one by one',
    file: 'src/core/observe/last-seen.ts',
    changes: [['now - this.#lookedAt < SHARED_MS', 'now < this.#lookedAt']],
    tests: ['test/unit/last-seen.test.ts'],
  },
  {
    id: 'holders-of-no-part',
    mistake: 'the error of a multi-lock does not say who has the name that it waited for',
    file: 'src/multi-lock/joint-errors.ts',
    changes: [['{ ...options, holders }', 'options']],
    tests: ['test/integration/waiting/last-seen.test.ts'],
  },
  {
    id: 'waiters-under-way',
    mistake: 'acquisitions whose first answer is under way count as waiters',
    file: 'src/core/locks/passing-queue.ts',
    changes: [['this.isContended ? this.size : 0', 'this.size']],
    tests: ['test/integration/waiting/max-waiters.test.ts'],
  },
  {
    id: 'permit-waiters-for-ever',
    mistake: 'a semaphore whose waiters were all served counts those that came behind them',
    file: 'src/core/permits/permit-waiters.ts',
    changes: [['    this.#blocked -= Number(waiter.isBlocked);\n', '']],
    tests: ['test/unit/permit-waiters.test.ts'],
  },
  {
    id: 'waiters-one-more',
    mistake: 'one waiter more than allowed is let in',
    file: 'src/core/waiting/max-waiters.ts',
    changes: [['waiters < maxWaiters', 'waiters <= maxWaiters']],
    tests: ['test/integration/waiting/max-waiters.test.ts'],
  },
  {
    id: 'silent-is-busy',
    mistake: 'a server that has fallen silent still says that others have it',
    file: CONTENTION,
    changes: [['return isKnown && now - silentSince <= limitMs;', 'return isKnown;']],
    tests: units,
  },
  {
    id: 'gone-is-busy',
    mistake: 'a server that is gone still says that others have it',
    file: CONTENTION,
    changes: [['Math.min(askedAt, downSince ?? now)', 'askedAt']],
    tests: units,
  },
  {
    id: 'old-answer-is-busy',
    mistake: 'an answer proves that others have it for ever',
    file: CONTENTION,
    changes: [[' && now - this.#busyAt <= RECHECK_MAX_MS + limitMs', '']],
    tests: units,
  },
  {
    id: 'blocked-is-slow',
    mistake: 'a program that read an answer late waits as long for the next one',
    file: CONTENTION,
    changes: [
      [
        'Math.min(Math.max(SILENCE_MIN_MS, 2 * this.#roundTripMs), SILENCE_MAX_MS)',
        'Math.max(SILENCE_MIN_MS, 2 * this.#roundTripMs)',
      ],
    ],
    tests: units,
  },
  {
    id: 'failed-is-busy',
    mistake: 'an ask that failed leaves the proof of the one before',
    file: CONTENTION,
    changes: [
      [
        '    this.forget();\n    this.#failure = error;',
        '    this.answered();\n    this.#failure = error;',
      ],
    ],
    tests: units,
  },
  {
    id: 'given-up-is-silent',
    mistake: 'an ask that was given up counts as one that the server does not answer',
    file: CONTENTION,
    changes: [
      [
        'this.#ask?.isAbandoned === false ? this.#askedAt',
        'this.#ask !== undefined ? this.#askedAt',
      ],
    ],
    tests: units,
  },
  {
    id: 'proof-outlives-waiters',
    mistake: 'what the last waiter was told about permits is told to the next one',
    file: 'src/core/permits/permit-queue.ts',
    changes: [['    this.contention.forget();\n', '']],
    tests: dead,
  },
  {
    id: 'next-ask-hides-refusal',
    mistake: 'the refusal of an ask is forgotten with the next one',
    file: CONTENTION,
    changes: [['      this.#failure = this.refusal;\n', '']],
    tests: units,
  },
  {
    id: 'own-hold-is-no-proof',
    mistake: 'a wait behind a hold of its own client blames a server that is away',
    file: 'src/core/acquisition.ts',
    changes: [[' || this.isHeldHere', '']],
    tests: dead,
  },
  {
    id: 'latch-seen-once',
    mistake: 'a latch that was set once is set for ever',
    file: 'src/latch/latch.ts',
    changes: [
      ['waiter.hasSeen && services.proves(poll.contention, protocol.key)', 'waiter.hasSeen'],
    ],
    tests: dead,
  },
  {
    id: 'recheck-is-no-ask',
    mistake: 'the re-check of a lock that is handed on may take for ever',
    file: 'src/core/locks/line-ticket.ts',
    changes: [
      ['    this.#queue.contention.asked(this.asks.locks.services.clock.now(), call);\n', ''],
    ],
    tests: dead,
  },
  {
    id: 'refusal-unnamed',
    mistake: 'a wait that runs out does not name what Redis refuses',
    file: 'src/core/acquisition.ts',
    changes: [['asked?.refusal', 'undefined']],
    tests: refused,
  },
];
