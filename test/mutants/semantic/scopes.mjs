// @ts-check
// Mistakes about which hold the code of a program runs in.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const scopes = [
  {
    id: 'loss-ends-no-scope',
    mistake: 'a scope refuses for ever after a loss that its owner was told of',
    file: 'src/core/grant/grant.ts',
    changes: [
      ['    if (error !== undefined) {\n      this.over();\n', '    if (error !== undefined) {\n'],
    ],
    tests: ['test/integration/contexts/scopes-lost.test.ts'],
  },
  {
    id: 'loss-at-release-ends-no-scope',
    mistake: 'a scope refuses for ever after a loss that the release has found',
    file: 'src/core/grant/grant.ts',
    changes: [
      [
        '    this.over();\n  }',
        "    if (this.state === 'released') {\n      this.over();\n    }\n  }",
      ],
    ],
    tests: ['test/integration/contexts/scopes-lost.test.ts'],
  },
  {
    id: 'explicit-re-enters',
    mistake: "a scope lets in with reentry: 'explicit'",
    file: 'src/core/locks/lock-face.ts',
    changes: [["named === undefined && reentry === 'explicit' ? null : named", 'named']],
    tests: ['test/contract/shared-scopes.test.ts'],
  },
  {
    id: 'null-re-enters',
    mistake: 'a scope lets in with within: null',
    file: 'src/core/locks/lock-face.ts',
    changes: [
      [
        'terms.within === undefined ? this.#scopeHold() : terms.within',
        'terms.within ?? this.#scopeHold()',
      ],
    ],
    tests: ['test/contract/shared-scopes.test.ts'],
  },
  {
    id: 'stray-untold',
    mistake: 'nobody is warned of a re-entry that outlives its outer hold',
    file: 'src/core/observe/warnings.ts',
    changes: [['if (!isOutlived) {', 'if (isOutlived) {']],
    tests: ['test/contract/shared-scopes.test.ts'],
  },
  {
    id: 'stray-by-name',
    mistake: 'a re-entry that names its hold is warned of when it outlives that',
    file: 'src/core/locks/lock-grants.ts',
    changes: [['byScope: within === undefined', 'byScope: within !== null']],
    tests: ['test/contract/shared-scopes.test.ts'],
  },
  {
    id: 'waits-for-itself-unsaid',
    mistake: 'a wait does not say that its own scope holds the lock',
    file: 'src/core/locks/acquisition.ts',
    changes: [['this.terms.around?.isHeld === true', 'this.terms.around === null']],
    tests: ['test/contract/shared-scopes.test.ts'],
  },
];
