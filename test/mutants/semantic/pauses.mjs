// @ts-check
// Mistakes about the pauses before something is repeated because of an answer.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const pauses = [
  {
    id: 'redirected-at-once',
    mistake: 'a call follows every redirection at once',
    file: 'src/core/connection/redirected-calls.ts',
    changes: [['const AT_ONCE = 2;', 'const AT_ONCE = Number.POSITIVE_INFINITY;']],
    tests: ['test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'pause-stays-short',
    mistake: 'the pause before a refused call is sent again does not grow',
    file: 'src/core/connection/repeat-pause.ts',
    changes: [['    this.#repetitions += 1;\n', '']],
    tests: ['test/unit/resend-queue.test.ts', 'test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'pause-beyond-round',
    mistake: 'a pause may be longer than the time between two renewals',
    file: 'src/core/connection/repeat-pause.ts',
    changes: [['leaseMs / PAUSES_A_LEASE', 'leaseMs']],
    tests: ['test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'pause-beyond-call',
    mistake: 'a pause may be longer than the time that a call has',
    file: 'src/core/connection/repeat-pause.ts',
    changes: [[', commandTimeoutMs / PAUSES_A_CALL', '']],
    tests: ['test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'map-at-once',
    mistake: 'a map of slots with gaps is requested again at once',
    file: 'src/core/connection/map-refresh.ts',
    changes: [
      [
        'this.#owner.hasGaps())) {\n        this.#pause.begin();',
        'this.#owner.hasGaps())) {\n        this.#begin();',
      ],
    ],
    tests: ['test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'source-refused-at-once',
    mistake: 'a script that was refused with its source is sent again at once',
    file: 'src/core/connection/command-connection.ts',
    changes: [['        if (wasKnown) {', "        if (wasKnown || answer === 'no script') {"]],
    tests: ['test/simulation/lasting-answers.test.ts'],
  },
  {
    id: 'connection-hurries-refused',
    mistake: 'a call whose refusal ends the connection is the first on each new one',
    file: 'src/core/connection/resend-queue.ts',
    changes: [
      ['    this.#pause.reset();\n', '    this.#pause.reset();\n    this.#nextTry.reset();\n'],
    ],
    tests: ['test/unit/resend-queue.test.ts', 'test/connections/denied.test.ts'],
  },
  {
    id: 'confirmation-at-once',
    mistake: 'a confirmation for replicas that is refused is sent again at once',
    file: 'src/core/replicas/replica-lane.ts',
    changes: [['    this.#pause.begin();', '    this.#goOn();']],
    tests: ['test/unit/replica-lane.test.ts'],
  },
];
