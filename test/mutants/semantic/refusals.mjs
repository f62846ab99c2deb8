// @ts-check
// Mistakes about calls that the server refuses for now, or for all their time.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const refusals = [
  {
    id: 'slot-stops-node',
    mistake: 'calls that wait for one slot hold up those of every slot of its node',
    file: 'src/core/connection/resend-queue.ts',
    changes: [['if (isOfSlot(error)) {', "if (error.name === '') {"]],
    tests: ['test/unit/resend-queue.test.ts', 'test/connections/slot-pauses.test.ts'],
  },
  {
    id: 'slot-line-overtaken',
    mistake: 'a new call overtakes those that wait for its slot',
    file: 'src/core/connection/resend-queue.ts',
    changes: [[' || this.#lineOf(call) !== undefined', '']],
    tests: ['test/unit/resend-queue.test.ts', 'test/connections/slot-pauses.test.ts'],
  },
  {
    id: 'slot-line-behind-none',
    mistake: 'a call behind those that wait for its slot holds up all slots',
    file: 'src/core/connection/resend-queue.ts',
    changes: [['(this.#lineOf(call) ?? this.#waiting).push(call)', 'this.#waiting.push(call)']],
    tests: ['test/unit/resend-queue.test.ts'],
  },
  {
    id: 'server-stops-slot',
    mistake: 'a server that refuses all calls for now stops the calls of one slot alone',
    file: 'src/core/connection/server-errors.ts',
    changes: [['(?:TRYAGAIN|CLUSTERDOWN) ', '(?:TRYAGAIN|CLUSTERDOWN|LOADING|READONLY) ']],
    tests: ['test/unit/resend-queue.test.ts'],
  },
  {
    id: 'read-ends-refusal',
    mistake: 'any call that is carried out ends the report that the server refuses writes',
    file: 'src/core/connection/refusals.ts',
    changes: [
      ['    if (call.refusal !== undefined) {', '    if (this.#delete(WRITES) === undefined) {'],
    ],
    tests: ['test/faults/refusal-reports.test.ts'],
  },
  {
    id: 'blind-refusal-stays',
    mistake: 'the report stays where the user may not do the write that would end it',
    file: 'src/core/connection/refusals.ts',
    changes: [['(!isRefused && this.#isProven)', '(!isRefused && false)']],
    tests: ['test/faults/refusal-reports.test.ts'],
  },
  {
    id: 'no-write-untyped',
    mistake: 'a call that a server without writes refuses ends with an error of the driver',
    file: 'src/core/delivery/translate.ts',
    changes: [['  if (isNoWrite(error)) {', '  if (resource === undefined) {']],
    tests: ['test/faults/misconf.test.ts'],
  },
  {
    id: 'ping-refused-not-taken',
    mistake: 'the socket of a server that refuses PING alone is left to the driver',
    file: 'src/core/connection/take-over.ts',
    changes: [[" ?? (await answerTo(driver, 'ECHO'))", '']],
    tests: ['test/unit/take-over.test.ts'],
  },
  {
    id: 'refused-is-unknown',
    mistake: 'a call that was refused each time it was sent counts as one whose outcome is unknown',
    file: 'src/core/wire/call.ts',
    changes: [['return this.isUnanswered || this.unackedCopies > 0;', 'return this.sent;']],
    tests: ['test/faults/refused-releases.test.ts'],
  },
  {
    id: 'second-release-silent',
    mistake: 'another release resolves at once while the first one is refused',
    file: 'src/core/grant/grant.ts',
    changes: [['    await this.#goesOn?.again();\n', '']],
    tests: ['test/faults/refused-releases.test.ts'],
  },
  {
    id: 'refused-for-ever',
    mistake: 'a refused release is sent again though its lease has ended',
    file: 'src/core/grant/release.ts',
    changes: [['      this.#stop(call);\n', '']],
    tests: ['test/faults/refused-releases.test.ts'],
  },
  {
    id: 'refused-retry-unknown',
    mistake: 'a refused call that is on its way again when its time is up counts as unknown',
    file: 'src/core/delivery/pending-reply.ts',
    changes: [['this.call?.isBeingRetried === true', 'this.call === undefined']],
    tests: ['test/unit/pending-reply.test.ts'],
  },
  {
    id: 'refused-copy-forgotten',
    mistake: 'a call that is refused while a copy of it may run gets no tombstone',
    file: 'src/core/delivery/delivery.ts',
    changes: [['copiesLeft: (call) => setAside(call, true),', '']],
    tests: ['test/faults/refused-copies.test.ts'],
  },
  {
    id: 'old-script-unread',
    mistake: 'an error that a script returns on Redis 6.2 is not known for what it is',
    file: 'src/core/connection/server-errors.ts',
    changes: [['(?:ERR Error running script|@user_script:)', 'ERR Error running script']],
    tests: ['test/unit/server-errors.test.ts'],
  },
];
