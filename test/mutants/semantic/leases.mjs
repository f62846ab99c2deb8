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
    changes: [['this.#end.start(sentAt, leaseMs)', 'this.#end.start(this.#clock.now(), leaseMs)']],
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
    file: 'src/core/wire/call.ts',
    changes: [['this.sent ? this.sentAt : now', 'this.sent && !this.resend ? this.sentAt : now']],
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
    changes: [['    asks.cancel({ holderId, hasUnackedCopy });\n', '']],
    tests: ['test/faults/slow-answers.test.ts'],
  },
  {
    id: 'held-by-flag',
    mistake: '`isHeld` is a flag that a timer sets, and true on the first line after a pause',
    file: 'src/core/grant/grant.ts',
    changes: [
      ['!this.#isReleased && this.lease.isProven', '!this.#isReleased && this.lease.active'],
    ],
    tests: ['test/unit/grant.test.ts'],
  },
  {
    id: 'signal-by-timer',
    mistake: 'the signal of a hold aborts by a timer only, after the first lines behind a pause',
    file: 'src/core/lease/loss-signal.ts',
    changes: [['get: () => check() !== undefined', 'get: () => isLost']],
    tests: ['test/unit/loss-signal.test.ts'],
  },
  {
    id: 'signal-stays-computed',
    mistake:
      'the signal of a lost hold says that it has aborted before it does: Deno calls no listener then',
    file: 'src/core/lease/loss-signal.ts',
    changes: [['abortLater(controller, error, computeNoMore)', 'abortLater(controller, error)']],
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
    changes: [['lease.renewed ? lease.cut(this.#leaseMs) : 0', 'lease.renewed ? 0 : 0']],
    tests: ['test/unit/watchdog.test.ts'],
  },
  {
    id: 'deadline-moves-back',
    mistake: 'an older, shorter proof moves a deadline back',
    file: 'src/core/lease/lease-deadline.ts',
    changes: [['isNews && !(endOf(sentAt, leaseMs) <= this.#deadline)', 'isNews']],
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
    changes: [['math.max(left, lease_ms)', 'lease_ms']],
    tests: ['test/contract/leases.test.ts'],
  },
  {
    id: 'permit-renewal-shortens',
    mistake: 'a renewal shortens the lease of a permit',
    file: 'lua/expirable-semaphore/renew.lua',
    changes: [['if lease_ms > left_ms then', 'if lease_ms > 0 then']],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
  {
    id: 'late-grants-uncounted',
    mistake: 'a lease that is shorter than the way is asked for again and again',
    file: 'src/core/locks/acquisition.ts',
    changes: [['      this.cameTooLate(grant.acquiring, grant.leaseMs);\n', '']],
    tests: ['test/faults/late-grants.test.ts'],
  },
  {
    id: 'lapsed-window-uncounted',
    mistake: 'a window that is shorter than the way is waited for again and again',
    file: 'src/core/locks/line-ticket.ts',
    changes: [['      this.#queue.lapsed(this, call, unused.windowMs);\n', '']],
    tests: ['test/unit/line-ticket.test.ts', 'test/faults/late-grants.test.ts'],
  },
  {
    id: 'late-read-uncounted',
    mistake: 'a read inside a write is asked for again and again with a lease that is too short',
    file: 'src/core/locks/reentry.ts',
    changes: [['error === undefined ? this.#enter()', 'error !== null ? this.#enter()']],
    tests: ['test/faults/late-grants.test.ts'],
  },
  {
    id: 'late-grants-for-ever',
    mistake: 'grants that are late by less than their lease are not too many ever',
    file: 'src/core/lease/late-grants.ts',
    changes: [['this.#late < LATE_MAX && ', '']],
    tests: ['test/unit/late-grants.test.ts'],
  },
  {
    id: 'churn-grows-old',
    mistake: 'a table is never replaced, and keeps in memory what has ended',
    file: 'src/core/base/churn-map.ts',
    changes: [['        this.#map = new Map(this.#map);\n', '']],
    tests: ['test/unit/churn-map.test.ts'],
  },
  {
    id: 'churn-shows-deleted',
    mistake: 'an iteration goes on with what was deleted once the table is replaced',
    file: 'src/core/base/churn-map.ts',
    changes: [['map === this.#map || this.#map.get(entry[0]) === entry[1]', 'map.has(entry[0])']],
    tests: ['test/unit/churn-map.test.ts'],
  },
];
