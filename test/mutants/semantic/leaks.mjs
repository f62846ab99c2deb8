// @ts-check
// Mistakes about holds that the program has lost: each is a rule left out.

const tests = ['test/integration/lifecycle/lasting.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const leaks = [
  {
    id: 'leak-kept',
    mistake: 'the internals keep what the program has of a hold that lasts',
    file: 'src/core/grant/reachable.ts',
    changes: [['this.#face = undefined;\n      this.watched();', 'this.watched();']],
    tests,
  },
  {
    id: 'leak-scope',
    mistake: 'a scope does not keep the hold that it is of',
    file: 'src/core/locks/scopes.ts',
    changes: [['const entry = { hold, face };', 'const entry = { hold, face: {} };']],
    tests,
  },
  {
    id: 'leak-entry',
    mistake: 'a hold that lasts keeps its entry in scopes, and so what the program has of it',
    file: 'src/core/locks/scopes.ts',
    changes: [['    this.#known = entry && new WeakRef(entry);', '    this.#known = entry;']],
    tests,
  },
  {
    id: 'leak-late-entry',
    mistake: 'a scope that begins after a renewal keeps what the program has of its hold, for good',
    file: 'src/core/locks/scopes.ts',
    changes: [['this.#known = isWatched ? new WeakRef(entry) : entry;', 'this.#known = entry;']],
    tests,
  },
  {
    id: 'leak-late-parts',
    mistake: 'the parts of a multi-lock do not know that the whole is watched',
    file: 'src/multi-lock/hold.ts',
    changes: [['hold.entryWith(face, this.isWatched)', 'hold.entryWith(face)']],
    tests,
  },
  {
    id: 'leak-using',
    mistake: 'the hold of a task that waits for ever is reported',
    file: 'src/core/locks/locking.ts',
    changes: [['    GrantFace.keep(hold);\n', '']],
    tests,
  },
  {
    id: 'leak-signal',
    mistake: 'a hold whose signal is in use is reported',
    file: 'src/core/grant/grant-face.ts',
    changes: [['    this.#shown.keepFace(this);\n', '']],
    tests,
  },
  {
    id: 'leak-listener',
    mistake: 'a listener does not keep its hold',
    file: 'src/core/grant/contended-listeners.ts',
    changes: [['this.#calls.set(call, kept);', 'this.#calls.set(call, this);']],
    tests,
  },
];
