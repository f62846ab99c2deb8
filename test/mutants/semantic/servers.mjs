// @ts-check
// Mistakes about servers that cannot be used.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const servers = [
  {
    id: 'old-server-used',
    mistake: 'calls are sent to a server that says that it is too old',
    file: 'src/core/connection/connection.ts',
    changes: [['if (unsupported !== undefined) {', 'if (unsupported !== undefined && !runId) {']],
    tests: ['test/connections/unsupported.test.ts'],
  },
  {
    id: 'old-server-unasked',
    mistake: 'a server that does not say how old it is cannot be used',
    file: 'src/core/connection/server-check.ts',
    changes: [['    if (isReplyError(error)) {\n      return undefined;\n    }\n', '']],
    tests: ['test/connections/unsupported.test.ts'],
  },
  {
    id: 'old-server-raw',
    mistake: 'a command that the server lacks is an error of the driver',
    file: 'src/core/connection/server-errors.ts',
    changes: [[' : lackOfServer(error);', ' : undefined;']],
    tests: ['test/connections/unsupported.test.ts'],
  },
  {
    id: 'node-used',
    mistake: 'one node of a cluster is used as a server',
    file: 'src/core/connection/server-check.ts',
    changes: [["'cluster_enabled') === '1'", "'cluster_enabled') === 'yes'"]],
    tests: ['test/connections/cluster-node.test.ts'],
  },
  {
    id: 'node-deaf',
    mistake: 'the only node of a cluster is used though others would not hear its messages',
    file: 'src/core/connection/server-check.ts',
    changes: [['isSharded === undefined && ', '']],
    tests: ['test/connections/cluster-node.test.ts'],
  },
  {
    id: 'node-moved-raw',
    mistake: 'a name that is on another node ends with an error of the driver',
    file: 'src/core/connection/router.ts',
    changes: [['redirected: (call, error) => refuseNode(call, error)', 'redirected: () => false']],
    tests: ['test/connections/cluster-node.test.ts'],
  },
  {
    id: 'silence-unasked',
    mistake: 'a server that closes the connection is not asked why',
    file: 'src/core/connection/connection.ts',
    changes: [['redis.questionAfter?.(error, this.#reached)', 'undefined']],
    tests: ['test/connections/no-answer.test.ts'],
  },
  {
    id: 'silence-old-reason',
    mistake: 'an answer of the server is told after a newer outcome',
    file: 'src/core/connection/no-answer.ts',
    changes: [['if (this.#question === question) {', 'if (question !== undefined) {']],
    tests: ['test/unit/no-answer.test.ts'],
  },
  {
    id: 'sentinel-stays',
    mistake: 'an attempt that is given up leaves its connections to sentinels',
    file: 'src/core/connection/driver.ts',
    changes: [['endSentinel(sentinel);', '']],
    tests: ['test/connections/stages.test.ts'],
  },
  {
    id: 'sentinel-first-only',
    mistake: 'each attempt asks the first sentinel, which may be mute',
    file: 'src/core/connection/sentinel-watch.ts',
    changes: [['sentinels.length > 1', 'sentinels.length > 9']],
    tests: ['test/connections/stages.test.ts'],
  },
];
