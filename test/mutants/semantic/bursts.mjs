// @ts-check
// Mistakes about more calls than a server answers soon.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const bursts = [
  {
    id: 'silence-of-one-call',
    mistake: 'a connection that answers other calls counts as half-open when one takes too long',
    file: 'src/core/connection/half-open.ts',
    changes: [['    this.#size -= 1;\n    this.#heard();\n', '    this.#size -= 1;\n']],
    tests: ['test/unit/half-open.test.ts', 'test/faults/burst.test.ts'],
  },
  {
    id: 'silence-of-one-query',
    mistake: 'the answer to a query is none to the calls behind it',
    file: 'src/core/connection/half-open.ts',
    changes: [['        this.#heard();\n', '']],
    tests: ['test/unit/half-open.test.ts'],
  },
  {
    id: 'burst-at-once',
    mistake: 'all calls of a burst are written at once',
    file: 'src/core/connection/window.ts',
    changes: [['unanswered.size < this.#size && this.#first === undefined', 'true']],
    tests: ['test/unit/window.test.ts', 'test/simulation/burst.test.ts'],
  },
  {
    id: 'renewals-in-turn',
    mistake: 'rounds of renewals wait behind the calls of a burst',
    file: 'src/core/connection/window.ts',
    changes: [['!call.resend || ', '']],
    tests: ['test/unit/window.test.ts', 'test/faults/burst.test.ts'],
  },
  {
    id: 'holds-behind-burst',
    mistake: 'releases and extensions wait behind the acquisitions of a burst',
    file: 'src/core/connection/window.ts',
    changes: [
      [
        '(call.goesFirst ? this.#aboutHolds : this.#others).push(call);',
        'this.#others.push(call);',
      ],
    ],
    tests: ['test/unit/window.test.ts', 'test/faults/burst.test.ts'],
  },
  {
    id: 'window-grows-only',
    mistake: 'a server that takes long gets ever more calls at once',
    file: 'src/core/connection/window.ts',
    changes: [['Math.min(1, Math.max(-1, gain))', '1']],
    tests: ['test/unit/window.test.ts', 'test/simulation/burst.test.ts'],
  },
  {
    id: 'window-stays-small',
    mistake: 'a fast server never gets more calls at once than at first',
    file: 'src/core/connection/window.ts',
    changes: [['if (gain < 0 || this.#first !== undefined) {', 'if (gain < 0) {']],
    tests: ['test/unit/window.test.ts'],
  },
  {
    id: 'window-kept',
    mistake: 'what was learnt of a server that was fast holds for ever',
    file: 'src/core/connection/window.ts',
    changes: [['      this.#size = FEWEST;\n', '']],
    tests: ['test/unit/window.test.ts'],
  },
  {
    id: 'turn-overtakes-refused',
    mistake: 'a call whose turn has come overtakes those that were refused',
    file: 'src/core/connection/window.ts',
    changes: [
      [
        '      if (waiting.holdsUp(call)) {\n        waiting.add(call);\n      } else {\n        write(call);\n      }',
        '      write(call);',
      ],
    ],
    tests: ['test/unit/window.test.ts'],
  },
  {
    id: 'turn-behind-redirected',
    mistake: 'the answer to a call that went to another connection lets nobody in here',
    file: 'src/core/connection/command-connection.ts',
    changes: [['if (error === undefined || isReplyError(error)) {', 'if (!call.isUnanswered) {']],
    tests: ['test/simulation/redirected-bursts.test.ts'],
  },
  {
    id: 'turn-lost-with-connection',
    mistake: 'what waits for its turn stays with a server that is gone',
    file: 'src/core/connection/command-connection.ts',
    changes: [
      [
        '  #disconnected(cause: Error): void {\n    this.#window.leave();\n',
        '  #disconnected(cause: Error): void {\n',
      ],
    ],
    tests: ['test/faults/in-flight.test.ts'],
  },
  {
    id: 'late-grant-is-contention',
    mistake: 'a wait that got a grant too late counts as one for somebody else',
    file: 'src/core/locks/hand-off-queue.ts',
    changes: [
      ['      // The grant came too late to be of use.\n', '      this.contended = true;\n'],
    ],
    tests: ['test/faults/slow-answers.test.ts'],
  },
];
