// @ts-check
// Mistakes about connections that listen.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const listening = [
  {
    id: 'subscriber-half-open',
    mistake: 'a subscriber connection that answers no ping is kept',
    file: 'src/core/connection/liveness.ts',
    changes: [['if (this.#unanswered !== undefined) {', 'if (this.#number < 0) {']],
    tests: ['test/faults/half-open.test.ts', 'test/faults/subscriber-cuts.test.ts'],
  },
  {
    id: 'refused-channel-deafens',
    mistake: 'one channel that is refused leaves the others of its batch unsubscribed',
    file: 'src/core/connection/subscriber.ts',
    changes: [
      ['channels.length > 1 && isReplyError(error)', 'channels.length < 1 && isReplyError(error)'],
    ],
    tests: [
      'test/connections/denied.test.ts',
      'test/connections/refused-messages.test.ts',
      'test/connections/rights.test.ts',
    ],
  },
  {
    id: 'subscriber-deaf',
    mistake: 'a connection that does not hear its own messages is kept',
    file: 'src/core/connection/liveness.ts',
    changes: [[' >= HEARD_WITHIN_MS', ' < 0']],
    tests: ['test/connections/one-address.test.ts'],
  },
  {
    id: 'subscriber-left-behind',
    mistake: 'a subscriber stays where a master was demoted',
    file: 'src/core/connection/demotion.ts',
    changes: [['      this.#oneServer.demoted(this.#connection, error);\n', '']],
    tests: ['test/unit/one-server.test.ts', 'test/connections/one-address.test.ts'],
  },
  {
    id: 'pauses-last',
    mistake: 'a connection waits out its pause though another one to its server is ready',
    file: 'src/core/connection/one-server.ts',
    changes: [['      other.tryNow();\n', '']],
    tests: ['test/unit/one-server.test.ts', 'test/faults/tried-at-once.test.ts'],
  },
  {
    id: 'servers-differ',
    mistake: 'connections to one address stay at different servers',
    file: 'src/core/connection/one-server.ts',
    changes: [['if (elsewhere.length > 0) {', 'if (elsewhere.length > 9) {']],
    tests: ['test/unit/one-server.test.ts', 'test/connections/one-address.test.ts'],
  },
  {
    id: 'servers-differ-for-ever',
    mistake: 'behind a balancer with two masters the connections are made anew for ever',
    file: 'src/core/connection/one-server.ts',
    changes: [['if (this.#different < DIFFERENT_MAX) {', 'if (this.#different > 0) {']],
    tests: ['test/unit/one-server.test.ts', 'test/connections/one-address.test.ts'],
  },
  {
    id: 'moved-unheard',
    mistake: 'a subscription that the server has ended counts as confirmed',
    file: 'src/core/connection/subscriber.ts',
    changes: [["    redis.on('moved', () => this.#moved(redis));\n", '']],
    tests: ['test/connections/cluster-listening.test.ts'],
  },
];
