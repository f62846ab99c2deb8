// @ts-check
// Mistakes about holders that are asked to yield: each is a rule left out.

const OTHERS = 'src/core/locks/heard-others.ts';
const between = ['test/integration/hand-off/contended.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const contended = [
  {
    id: 'contended-own',
    mistake: 'a holder is told of the waiters of its own client',
    file: 'lua/lib/tells_holder.lua',
    changes: [
      [
        'string.sub(owner, 1, CLIENT_ID_LENGTH) == string.sub(id, 1, CLIENT_ID_LENGTH)\n    or ',
        '',
      ],
    ],
    tests: between,
  },
  {
    id: 'contended-unheard',
    mistake: 'a holder counts as told though its client does not listen',
    file: 'lua/lib/tells_holder.lua',
    changes: [
      ['own_listeners(owner, lock, publish) == 0', 'own_listeners(owner, lock, publish) < 0'],
    ],
    tests: [...between, 'test/faults/contended-silent.test.ts'],
  },
  {
    id: 'contended-run',
    mistake: 'the next hold of a local run does not hear what the one before has heard',
    file: OTHERS,
    changes: [['this.#contended.has(lease) || this.#isEarly(lease)', 'this.#isEarly(lease)']],
    tests: ['test/unit/heard-others.test.ts'],
  },
  {
    id: 'contended-early',
    mistake: 'a message that comes before the answer about the grant is forgotten',
    file: OTHERS,
    changes: [['this.#contended.has(lease) || this.#isEarly(lease)', 'this.#contended.has(lease)']],
    tests: ['test/unit/heard-others.test.ts'],
  },
  {
    id: 'contended-late',
    mistake: 'a hold that is over still hears',
    file: 'src/core/grant/contended-listeners.ts',
    changes: [['this.#calls.delete(call) && !this.#isOver()', 'this.#calls.delete(call)']],
    tests: ['test/unit/heard-others.test.ts'],
  },
];
