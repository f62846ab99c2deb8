// @ts-check
// Mistakes about when the code of a program is called.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const listeners = [
  {
    id: 'events-at-once',
    mistake: 'a listener runs in the middle of the state change that it hears of',
    file: 'src/core/base/program-calls.ts',
    changes: [['  if (waiting.push(call) === 1) {\n    soon(callAll);\n  }', '  call();']],
    tests: ['test/contract/listeners.test.ts', 'test/unit/program-calls.test.ts'],
  },
  {
    id: 'aborts-at-once',
    mistake: 'the signal of a lost hold aborts in the middle of a grant',
    file: 'src/core/base/program-calls.ts',
    changes: [
      ['  callLater(() => {\n    before?.();', '  {\n    before?.();'],
      ['controller.abort(reason));\n  });', 'controller.abort(reason));\n  }'],
    ],
    tests: ['test/contract/listeners.test.ts', 'test/unit/program-calls.test.ts'],
  },
  {
    id: 'throwing-call-stops-others',
    mistake: 'what the program is told is lost when an earlier call has thrown',
    file: 'src/core/base/program-calls.ts',
    changes: [['calls.slice(made + 1)', '[]']],
    tests: ['test/unit/program-calls.test.ts'],
  },
  {
    id: 'stalled-when-over',
    mistake: 'a wait that an earlier listener has ended is reported as stalled',
    file: 'src/core/observe/slow-wait.ts',
    changes: [['() => !wait.isOver', '() => true']],
    tests: ['test/unit/slow-wait.test.ts'],
  },
  {
    id: 'bounded-wait-warned-of',
    mistake: 'a wait with a limit is warned of',
    file: 'src/core/observe/slow-wait.ts',
    changes: [['endsAt === Number.POSITIVE_INFINITY', 'endsAt > 0']],
    tests: ['test/unit/wait-warnings.test.ts', 'test/integration/waiting/spoken.test.ts'],
  },
  {
    id: 'bounded-part-warned-of',
    mistake: 'the wait for a part of a multi-lock has no limit of its own, and is warned of',
    file: 'src/core/waiting/wait-limit.ts',
    changes: [['stepOf?.endsAt ?? this', 'this']],
    tests: ['test/integration/waiting/spoken.test.ts'],
  },
  {
    id: 'acquired-in-no-circle',
    mistake: 'what a multi-lock has while it waits is in no circle',
    file: 'src/core/locks/acquisition.ts',
    changes: [[', ...(this.terms.acquired ?? [])', '']],
    tests: ['test/integration/waiting/spoken.test.ts'],
  },
  {
    id: 'warnings-without-end',
    mistake: 'each name is warned of, however many there are in a minute',
    file: 'src/core/observe/minute-limit.ts',
    changes: [['this.#toldInMinute < PER_MINUTE', 'true']],
    tests: ['test/unit/wait-warnings.test.ts'],
  },
];
