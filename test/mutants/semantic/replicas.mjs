// @ts-check
// Mistakes about grants that wait for replicas.

const LANE = 'src/core/replicas/replica-lane.ts';
const WAIT = 'src/core/replicas/replica-wait.ts';
const ACQUISITION = 'src/core/leased-acquisition.ts';
const unit = ['test/unit/replica-lane.test.ts'];
const grants = ['test/integration/replicas/grants.test.ts'];
const ends = ['test/integration/replicas/ends.test.ts'];
const cost = ['test/integration/replicas/cost.test.ts'];
const writes = ['test/integration/scripts/renewals-write.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const replicas = [
  {
    id: 'replicas-unconfirmed',
    mistake: 'the confirmation of a grant only asks, so WAIT proves nothing',
    file: LANE,
    changes: [['itemOf(lease, Math.max(1, lease.remainingMs))', 'itemOf(lease, 0)']],
    tests: unit,
  },
  {
    id: 'replicas-of-another-connection',
    mistake: 'WAIT counts for what other connections have confirmed',
    file: LANE,
    changes: [['if (writtenTo === oldest.writtenTo) {', 'if (writtenTo !== undefined) {']],
    tests: unit,
  },
  {
    id: 'replicas-not-confirmed-again',
    mistake: 'what was confirmed on a connection that is lost is not confirmed again',
    file: LANE,
    changes: [['      wait.delayed(error);\n      this.#fresh.add(wait);\n', '']],
    tests: unit,
  },
  {
    id: 'replicas-confirmed-behind-wait',
    mistake: 'a confirmation is sent behind a WAIT, and is answered when that ends',
    file: LANE,
    changes: [['if (!this.#isWaiting && !this.#pause.isOn)', 'if (!this.#pause.isOn)']],
    tests: unit,
  },
  {
    id: 'replicas-wait-without-end',
    mistake: 'a WAIT whose time is up has no end',
    file: LANE,
    changes: [['Math.max(1, Math.floor(', 'Math.max(0, Math.floor(']],
    tests: unit,
  },
  {
    id: 'replicas-refusal-is-silent',
    mistake: 'a server that does not carry out WAIT is asked until the time is up',
    file: LANE,
    changes: [['refusalOf(error) ?? error', 'error']],
    tests: unit,
  },
  {
    id: 'replicas-on-the-ordinary-connection',
    mistake: 'a WAIT stops all commands of its client',
    file: LANE,
    changes: [['lane: this.#min', 'lane: 0']],
    tests: unit,
  },
  {
    id: 'replicas-in-one-lane',
    mistake: 'those who want more replicas hold up those who want fewer',
    file: 'src/core/replicas/replicas.ts',
    changes: [['`${min} ${this.#parts', '`${this.#parts']],
    tests: cost,
  },
  {
    id: 'replicas-shortfall-ignored',
    mistake: 'a grant is told of though no replica has it',
    file: WAIT,
    changes: [['if (count >= this.terms.min) {', 'if (count >= 0) {']],
    tests: grants,
  },
  {
    id: 'replicas-lost-and-granted',
    mistake: 'a grant is told of though its lease has ended while it waited',
    file: WAIT,
    changes: [['(isGranted && this.lease.error !== undefined) || ', '']],
    tests: unit,
  },
  {
    id: 'replicas-not-undone',
    mistake: 'a grant that too few replicas have is left to its lease',
    file: ACQUISITION,
    changes: [['    fate.undo();\n', '']],
    tests: grants,
  },
  {
    id: 'replicas-beyond-the-call',
    mistake: 'a grant waits for replicas for longer than its call may last',
    file: ACQUISITION,
    changes: [
      [
        'Math.min(services.clock.now() + replicas.timeoutMs, waitLimit.endsAt)',
        'services.clock.now() + replicas.timeoutMs',
      ],
    ],
    tests: ends,
  },
  {
    id: 'replicas-wait-is-half-open',
    mistake: 'a connection that waits for replicas counts as dead',
    file: 'src/core/connection/half-open.ts',
    changes: [
      ['Math.max(oldest, this.#heardAt, this.#busyUntil)', 'Math.max(oldest, this.#heardAt)'],
    ],
    tests: ['test/unit/half-open.test.ts'],
  },
  {
    id: 'replicas-behind-another-connection',
    mistake: 'a command goes behind a call on another connection than has answered it',
    file: 'src/core/connection/command-connection.ts',
    changes: [['redis === undefined || redis !== call.writtenTo', 'redis === undefined']],
    tests: ['test/faults/sent-behind.test.ts'],
  },
  {
    id: 'renewal-reads',
    mistake: 'a renewal of a lock that lengthens nothing writes nothing',
    file: 'lua/lock/renew.lua',
    changes: [['if lease_ms > 0 then', 'if lease_ms > left then']],
    tests: writes,
  },
  {
    id: 'permit-renewal-reads',
    mistake: 'a renewal of a permit that lengthens nothing writes nothing',
    file: 'lua/expirable-semaphore/renew.lua',
    changes: [['elseif lease_ms > 0 and redis', 'elseif lease_ms < 0 and redis']],
    tests: writes,
  },
];
