// @ts-check
// Mistakes about how long something may be held at most: each is a rule left out.

const HOLDERS = 'src/core/lease/lease-holders.ts';

const units = ['test/unit/bounds.test.ts'];
const kinds = ['test/contract/bounds.test.ts'];
const runs = ['test/integration/hand-off/bounds.test.ts'];
const joint = ['test/integration/multi-lock/bounds.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const bounds = [
  {
    id: 'bound-renewed-beyond',
    mistake: 'renewals are not cut to the bound',
    file: 'src/core/lease/watchdog.ts',
    changes: [
      ['(lease.renewed ? lease.cut(this.#leaseMs) : 0)', '(lease.renewed ? this.#leaseMs : 0)'],
    ],
    tests: units,
  },
  {
    id: 'bound-first-lease',
    mistake: 'the first lease is not cut to the bound',
    file: 'src/core/base/arguments.ts',
    changes: [['Math.min(renewedLeaseMs, maxHoldMs ?? Infinity)', 'renewedLeaseMs']],
    tests: kinds,
  },
  {
    id: 'bound-not-released',
    mistake: 'what the server still has when the bound comes is not released',
    file: 'src/core/lease/lease-deadline.ts',
    changes: [['isBounded || this.#lengthenings > 0', 'this.#lengthenings > 0']],
    tests: kinds,
  },
  {
    id: 'bound-told-as-unproven',
    mistake: 'a renewed hold that has come to its bound counts as not renewed in time',
    file: 'src/core/lease/lease.ts',
    changes: [[' || isAtBound || this.boundMs <= 0', '']],
    tests: units,
  },
  {
    id: 'bound-outlives-reentry',
    mistake: 'the bound of a re-entry stays when that was released',
    file: HOLDERS,
    changes: [['    if (holder.endsBy !== undefined) {\n      this.#rebound();\n    }\n', '']],
    tests: units,
  },
  {
    id: 'bound-of-one-side',
    mistake: 'the bound of one side of a read-write lock is none of the other side',
    file: HOLDERS,
    changes: [['[this.main, this, this.companion]', '[this]']],
    tests: ['test/unit/bounds.test.ts', 'test/integration/rwlock/bounds.test.ts'],
  },
  {
    id: 'bound-gone-unrenewed',
    mistake:
      'a lease that was cut to the bound of a re-entry is not renewed at once when that is gone',
    file: 'src/core/lease/lease.ts',
    changes: [['      this.#wasCut = false;\n      this.#hooks.ask(this);\n', '']],
    tests: units,
  },
  {
    id: 'bound-served-in-run',
    mistake: 'a waiter with a bound is served by a run',
    file: 'src/core/locks/passing-queue.ts',
    changes: [[' && !next.isBounded', '']],
    tests: runs,
  },
  {
    id: 'bound-begins-run',
    mistake: 'a hold with a bound begins a run',
    file: 'src/core/locks/run.ts',
    changes: [[' && hold.endsBy === undefined', '']],
    tests: runs,
  },
  {
    id: 'bound-joint-reentered',
    mistake: 'what was re-entered for a multi-lock outlives its bound',
    file: 'src/multi-lock/hold.ts',
    changes: [["      this.#holds.forEach(({ lease }) => lease.lose('expired'));\n", '']],
    tests: joint,
  },
  {
    id: 'bound-extended',
    mistake: 'a hold is extended beyond its bound',
    file: 'src/core/grant/grant.ts',
    changes: [['    checkBound(leaseMs, this.lease.boundMs);\n', '']],
    tests: kinds,
  },
];
