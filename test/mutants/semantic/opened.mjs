// @ts-check
// Mistakes about leases whose proof has ended while an answer of the server can still prove them again.

const DEADLINE = 'src/core/lease/lease-deadline.ts';
const LEASE = 'src/core/lease/lease.ts';
const WATCHDOG = 'src/core/lease/watchdog.ts';
const units = [
  'test/unit/lease-open.test.ts',
  'test/unit/watchdog.test.ts',
  'test/unit/clock.test.ts',
];
const blocked = ['test/faults/blocked-holders.test.ts'];
const steps = ['test/integration/lifecycle/clock-steps.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const opened = [
  {
    id: 'step-is-a-loss',
    mistake: 'a step of the clock loses what is held',
    file: DEADLINE,
    changes: [['at - clock.steppedSince(this.#from) < this.at', 'false']],
    tests: units,
  },
  {
    id: 'step-leaves-held',
    mistake: 'a lease is held though its proof has ended by a step of the clock',
    file: LEASE,
    changes: [
      ['this.error === undefined && this.covers(this.#clock.now())', 'this.error === undefined'],
    ],
    tests: units,
  },
  {
    id: 'step-for-ever',
    mistake: 'a lease stays suspect after a step for as long as no answer comes',
    file: DEADLINE,
    changes: [['      this.open(at, this.#lengthMs);\n', '      this.#openUntil = Infinity;\n']],
    tests: units,
  },
  {
    id: 'step-with-late-copy',
    mistake: 'a lease is proven by a holder id that may have been granted again',
    file: LEASE,
    changes: [['judge(this.#clock, !this.hasUnackedCopy)', 'judge(this.#clock, true)']],
    tests: units,
  },
  {
    id: 'step-asks-nobody',
    mistake: 'after a step of the clock the next round has to come',
    file: LEASE,
    changes: [
      [
        "    if (verdict === 'stepped') {\n      this.#hooks.ask(this);\n",
        "    if (verdict === 'stepped') {\n",
      ],
    ],
    tests: [...units, ...steps],
  },
  {
    id: 'step-behind-renewal',
    mistake: 'a renewal from before a step keeps the question after it from being asked',
    file: WATCHDOG,
    changes: [['    lease.renewing = false;\n    if (!this.#isAsking', '    if (!this.#isAsking']],
    tests: units,
  },
  {
    id: 'step-of-fixed-lease',
    mistake: 'the answer to a fixed lease does not prove what it has left',
    file: 'src/core/lease/renewal.ts',
    changes: [['lease.prove(sentAt, Math.max(0, answer.leftMs))', 'lease.prove(sentAt, 0)']],
    tests: steps,
  },
  {
    id: 'step-of-fixed-reader',
    mistake: 'a reader is not told what its lease has left',
    file: 'lua/rwlock/renew-read.lua',
    changes: [["left and '1::' .. string.format('%.0f', left) or '1'", "'1'"]],
    tests: steps,
  },
  {
    id: 'window-ends-lost',
    mistake: 'a lock that was handed on is lost at the end of its window, though it was confirmed',
    file: WATCHDOG,
    changes: [['      lease.open(call.sentAt, lease.cut(this.#leaseMs));\n', '']],
    tests: blocked,
  },
  {
    id: 'window-open-for-ever',
    mistake: 'a lease stays open though the connection of its confirmation has ended',
    file: WATCHDOG,
    changes: [['() => lease.close()', '() => {}']],
    tests: ['test/unit/watchdog-windows.test.ts'],
  },
  {
    id: 'window-confirmed-late',
    mistake: 'the confirmation of a grant waits for the other commands of its turn',
    file: WATCHDOG,
    changes: [['[lease], AT_ONCE,', '[lease], OF_ROUND,']],
    tests: ['test/unit/watchdog-windows.test.ts'],
  },
  {
    id: 'window-passed-on',
    mistake: 'a lock that is not proven is passed on inside its client',
    file: 'src/core/locks/run.ts',
    changes: [["isOpen && lease.state === 'held'", 'isOpen']],
    tests: ['test/unit/run.test.ts'],
  },
  {
    id: 'window-extension-refused',
    mistake: 'what is not proven is not extended',
    file: 'src/core/grant/grant.ts',
    changes: [['INT32_MAX);\n    this.assertNotOver();', 'INT32_MAX);\n    this.assertHeld();']],
    tests: [...blocked, ...steps],
  },
  {
    id: 'window-reentry-refused',
    mistake: 'what is not proven is not re-entered',
    file: 'src/core/locks/within.ts',
    changes: [['within.assertNotOver()', 'within.assertHeld()']],
    tests: blocked,
  },
];
