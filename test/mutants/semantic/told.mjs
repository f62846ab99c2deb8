// @ts-check
// Mistakes about what one client is told alone: that another one has ended what it holds.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const told = [
  {
    id: 'own-channel-deaf',
    mistake: 'a client does not look when it is told that a hold of it was ended',
    file: 'src/core/waiting/own-channel.ts',
    changes: [['    this.#look(key);\n  }\n\n  /** A look', '  }\n\n  /** A look']],
    tests: ['test/integration/lifecycle/force.test.ts'],
  },
  {
    id: 'own-channel-late',
    mistake: 'what ended before its client listened is not looked at',
    file: 'src/core/waiting/own-channel.ts',
    changes: [['this.#services.lookAtAll();', '']],
    tests: ['test/faults/own-channel.test.ts'],
  },
  {
    id: 'own-channel-early',
    mistake: 'a message that comes before the grant which it is about is lost',
    file: 'src/core/waiting/own-channel.ts',
    changes: [['this.#told.set(key, this.#services.clock.now());', '']],
    tests: ['test/unit/own-channel.test.ts'],
  },
  {
    id: 'told-renews',
    mistake: 'a client that is told of an earlier end renews the permit',
    file: 'src/core/lease/watchdog.ts',
    changes: [
      ['const terms = leases.map(() => 0);', 'const terms = leases.map(() => this.#leaseMs);'],
      [
        'leases.map((lease) => itemOf(lease, 0))',
        'leases.map((lease) => itemOf(lease, lease.renewed ? this.#leaseMs : 0))',
      ],
    ],
    tests: ['test/unit/watchdog-looks.test.ts'],
  },
  {
    id: 'told-under-way',
    mistake:
      'what is being renewed is not looked at, though the answer may be older than the message',
    file: 'src/core/lease/watchdog.ts',
    changes: [
      [
        '({ error, identity }) =>\n        error === undefined',
        '({ error, identity, renewing }) =>\n        !renewing && error === undefined',
      ],
    ],
    tests: ['test/unit/watchdog-looks.test.ts'],
  },
  {
    id: 'look-for-renewal',
    mistake: 'a look counts as the renewal of its round, which is left out',
    file: 'src/core/lease/watchdog.ts',
    changes: [
      [
        'const terms = leases.map(() => 0);',
        'const terms = leases.map(() => 0);\n    leases.forEach((lease) => (lease.renewing = true));',
      ],
    ],
    tests: ['test/unit/watchdog-looks.test.ts'],
  },
  {
    id: 'hot-lock-deafens',
    mistake: 'a client waits anew for 100 ms with each hold, and never listens',
    file: 'src/core/waiting/own-channel.ts',
    changes: [['if (side.count === 1 && ', 'if (side.count > 0 && ']],
    tests: ['test/unit/own-channel.test.ts'],
  },
  {
    id: 'earlier-end-unheeded',
    mistake: 'an end that another client has set is not taken over',
    file: 'src/core/lease/renewal.ts',
    changes: [['lease.shorten(sentAt, answer.leftMs);', '']],
    tests: ['test/unit/renewal.test.ts'],
  },
  {
    id: 'slow-answer-shortens',
    mistake: 'the time that an answer takes is taken for an earlier end',
    file: 'src/core/lease/renewal.ts',
    changes: [['lease.covers(now + answer.leftMs)', 'lease.covers(sentAt + answer.leftMs)']],
    tests: ['test/unit/renewal.test.ts'],
  },
  {
    id: 'tells-the-first',
    mistake: 'of several clients that lose their holds only the first is told',
    file: 'lua/lib/notify_ended.lua',
    changes: [['for i = 1, #clients do', 'for i = 1, math.min(#clients, 1) do']],
    tests: ['test/integration/rwlock/told.test.ts'],
  },
  {
    id: 'tells-itself',
    mistake: 'a client that forces its own holds out is told of it, and asks once more',
    file: 'lua/lib/notify_ended.lua',
    changes: [['{ [own] = true }', '{}']],
    tests: ['test/integration/cost/told.test.ts'],
  },
  {
    id: 'own-channel-in-a-slot',
    mistake: 'the own channel of a client of a cluster is subscribed as one of a slot',
    file: 'src/core/connection/cluster-subscriber.ts',
    changes: [['this.#sharded && !isOwnChannel(channel)', 'this.#sharded']],
    tests: ['test/connections/cluster-messages.test.ts'],
  },
];
