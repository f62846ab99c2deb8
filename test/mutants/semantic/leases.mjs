// @ts-check
// Mistakes about how long something is held, and who is told.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const leases = [
  {
    id: 'oom-readers-lost',
    mistake: 'the first write of the renewal of readers needs memory',
    file: 'lua/rwlock/renew-read.lua',
    changes: [
      ['      needs_no_memory(lock)\n', ''],
      ['-- include lib/needs_no_memory\n', ''],
      ['-- at maxmemory: carried out\n', ''],
    ],
    tests: ['test/faults/out-of-memory-held.test.ts'],
  },
  {
    id: 'oom-permits-kept',
    mistake: 'the first write of the return of permits needs memory',
    file: 'lua/lib/permits_return.lua',
    changes: [["    redis.call('ZREM', leases, '')\n", '']],
    refusedBy: 'generator',
    tests: ['test/faults/out-of-memory-held.test.ts'],
  },
  {
    id: 'loss-without-cause',
    mistake: 'a lease that could not be renewed is lost without the reason',
    file: 'src/core/lease/lease.ts',
    changes: [['    this.#doubtedBy = cause ?? this.#doubtedBy;\n', '']],
    tests: ['test/faults/no-writes.test.ts'],
  },
  {
    id: 'late-release-untold',
    mistake: 'the answer to a release ends nothing once its caller has given up',
    file: 'src/core/delivery/pending-reply.ts',
    changes: [
      [
        '    this.#resolve = ignore;\n',
        '    this.#resolve = ignore;\n    this.terms = undefined;\n',
      ],
    ],
    tests: ['test/faults/release-late.test.ts'],
  },
  {
    id: 'unanswered-release-untold',
    mistake: 'a release without an answer ends nothing',
    file: 'src/core/grant/release.ts',
    changes: [
      ["this.#tellLoss(grant, error ?? lossOf(grant, 'unproven', cause));", 'this.#over();'],
    ],
    tests: ['test/faults/release-late.test.ts'],
  },
  {
    id: 'end-told-twice',
    mistake: 'permits whose release is made again have two ends',
    file: 'src/semaphore/permits.ts',
    changes: [['      this.#isTold = true;\n', '']],
    tests: ['test/faults/long-outage.test.ts', 'test/faults/release-late.test.ts'],
  },
  {
    id: 'deadline-from-answer',
    mistake: 'the deadline of a grant counts from its answer, not from before it was sent',
    file: 'src/core/lease/lease.ts',
    changes: [
      ['this.#end.start(call.sentAt, leaseMs)', 'this.#end.start(this.#clock.now(), leaseMs)'],
    ],
    tests: ['test/unit/lease.test.ts'],
  },
  {
    id: 'renewal-from-answer',
    mistake: 'the deadline of a renewal counts from its answer',
    file: 'src/core/lease/watchdog.ts',
    changes: [
      [
        '{ sentAt: call.sentAt, now: this.#clock.now() }',
        '{ sentAt: this.#clock.now(), now: this.#clock.now() }',
      ],
    ],
    tests: ['test/unit/watchdog.test.ts'],
  },
  {
    id: 'deadline-from-newest-copy',
    mistake: 'a command that is sent again counts from its newest copy',
    file: 'src/core/connection/command-connection.ts',
    changes: [['if (!call.sent) {\n', 'if (!call.sent || call.resend) {\n']],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'margin-0',
    mistake: 'no margin is kept back from a lease',
    file: 'src/core/lease/lease-deadline.ts',
    changes: [['return Math.max(2, leaseMs / 100);', 'return leaseMs * 0;']],
    tests: ['test/unit/lease-deadline.test.ts'],
  },
  {
    id: 'late-grant-told',
    mistake: 'a grant whose answer took longer than its lease is told',
    file: 'src/core/locks/acquisition.ts',
    changes: [
      ['terms.leaseMs >= RETRIED_LEASE_MIN_MS', 'terms.leaseMs >= RETRIED_LEASE_MIN_MS * 1e9'],
    ],
    tests: ['test/faults/slow-answers.test.ts'],
  },
  {
    id: 'late-permits-told',
    mistake: 'permits whose answer took longer than their lease are told',
    file: 'src/expirable-semaphore/grants.ts',
    changes: [
      [
        'if (terms.leaseMs >= RETRIED_LEASE_MIN_MS',
        'if (terms.leaseMs >= RETRIED_LEASE_MIN_MS * 1e9',
      ],
    ],
    tests: ['test/integration/expirable-semaphore/expiry.test.ts'],
  },
  {
    id: 'late-grant-kept',
    mistake: 'a grant that came too late is asked for anew, and not taken back',
    file: 'src/core/locks/ticket.ts',
    changes: [['    asks.cancel(this.holderId, true);\n', '']],
    tests: ['test/faults/slow-answers.test.ts'],
  },
  {
    id: 'held-by-flag',
    mistake: '`isHeld` is a flag that a timer sets, and true on the first line after a pause',
    file: 'src/core/grant/grant.ts',
    changes: [
      [
        '!this.#isReleased && this.lease.error === undefined',
        '!this.#isReleased && this.lease.active',
      ],
    ],
    tests: ['test/unit/grant.test.ts'],
  },
  {
    id: 'signal-by-timer',
    mistake: 'the signal of a hold aborts by a timer only, after the first lines behind a pause',
    file: 'src/core/lease/loss-signal.ts',
    changes: [['get: () => check() !== undefined', 'get: () => isAborted']],
    tests: ['test/unit/loss-signal.test.ts'],
  },
  {
    id: 'signal-after-release',
    mistake: 'the signal of a hold that was released aborts when the lease of the others is lost',
    file: 'src/core/grant/grant.ts',
    changes: [
      [
        'return this.#isReleased ? this.#lostAtRelease : this.lease.error;',
        'return this.lease.error ?? this.#lostAtRelease;',
      ],
    ],
    tests: ['test/unit/grant.test.ts'],
  },
  {
    id: 'renew-after-release',
    mistake: 'a lease that is being released is still renewed',
    file: 'src/core/locks/lock-grants.ts',
    changes: [['      this.letGo(lease);\n      lease.end();', '      lease.end();']],
    tests: ['test/contract/clean-release.test.ts'],
  },
  {
    id: 'renewal-only-asks',
    mistake: 'a renewal asks whether the lease is held, and does not lengthen it',
    file: 'src/core/lease/watchdog.ts',
    changes: [['lease.renewed ? this.#leaseMs : 0', 'lease.renewed ? 0 : 0']],
    tests: ['test/unit/watchdog.test.ts'],
  },
  {
    id: 'deadline-moves-back',
    mistake: 'an older, shorter proof moves a deadline back',
    file: 'src/core/lease/lease-deadline.ts',
    changes: [['this.isGranted ? Math.max(this.#deadline, deadline) : deadline', 'deadline']],
    tests: ['test/unit/lease.test.ts'],
  },
  {
    id: 'expired-lease-proven',
    mistake: 'a lease whose deadline has passed is proven again by a late answer',
    file: 'src/core/lease/lease.ts',
    changes: [
      [
        '    if (this.error === undefined) {\n      this.#end.prove',
        '    if (this.active) {\n      this.#end.prove',
      ],
    ],
    tests: ['test/unit/lease.test.ts'],
  },
  {
    id: 'unproven-lease-left',
    mistake: 'a lease that was lost as unproven is left to run on the server',
    file: 'src/core/grant/grant-lifecycle.ts',
    changes: [
      ["reason === 'unproven' || (", "(reason === 'unproven' && lease.hasUnackedCopy) || ("],
    ],
    tests: ['test/faults/outage-holds.test.ts'],
  },
  {
    id: 'suspended-machine',
    mistake: 'the time in which the machine was suspended does not count',
    file: 'src/core/base/clock.ts',
    changes: [['return monotonic + suspended;', 'return monotonic + suspended * 0;']],
    tests: ['test/unit/clock.test.ts'],
  },
  {
    id: 'renewal-of-another',
    mistake: 'a renewal lengthens the lease of whoever holds the lock',
    file: 'lua/lock/renew.lua',
    changes: [["redis.pcall('HEXISTS', lock, holder)", "redis.pcall('EXISTS', lock)"]],
    tests: ['test/contract/leases.test.ts'],
  },
  {
    id: 'renewal-shortens',
    mistake: 'a renewal shortens a lease that was extended for longer',
    file: 'lua/lock/renew.lua',
    changes: [["if lease_ms > redis.call('PTTL', lock) then", 'if lease_ms > 0 then']],
    tests: ['test/contract/leases.test.ts'],
  },
  {
    id: 'permit-renewal-shortens',
    mistake: 'a renewal shortens the lease of a permit',
    file: 'lua/expirable-semaphore/renew.lua',
    changes: [['if lease_ms > left_ms then', 'if lease_ms > 0 then']],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
];
