// @ts-check
// Mistakes about permits.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const permits = [
  {
    id: 'give-back-forgets-first',
    mistake: 'an acquisition that is given back is forgotten before a missing right is found',
    file: 'lua/semaphore/give-back.lua',
    changes: [
      ["('ZREMRANGEBYSCORE', requests, 1, 0)", "('ZREMRANGEBYSCORE', requests, number, number)"],
    ],
    tests: ['test/connections/refused-commands.test.ts'],
  },
  {
    id: 'permit-held-at-expiry',
    mistake: 'a permit still counts as held in the millisecond in which it expires',
    file: 'lua/lib/permits_count.lua',
    changes: [['tonumber(expiry) > now and 1 or 0', 'tonumber(expiry) >= now and 1 or 0']],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
  {
    id: 'permit-renewed-at-expiry',
    mistake: 'a permit is renewed in the millisecond in which it expires',
    file: 'lua/expirable-semaphore/renew.lua',
    changes: [['tonumber(expiry) <= now or', 'tonumber(expiry) < now or']],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
  {
    id: 'permit-set-at-expiry',
    mistake: 'the lease of a permit is set in the millisecond in which it expires',
    file: 'lua/expirable-semaphore/update-lease.lua',
    changes: [['expiry <= now', 'expiry < now']],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
  {
    id: 'permit-not-reclaimed-at-expiry',
    mistake: 'a permit is not available yet in the millisecond in which it expires',
    file: 'lua/lib/permits_reclaim.lua',
    changes: [["'-inf', now, 'LIMIT'", "'-inf', '(' .. now, 'LIMIT'"]],
    tests: ['test/integration/scripts/permits.test.ts'],
  },
  {
    id: 'unknown-permit-returned',
    mistake: 'the release of a permit that is not there adds one',
    file: 'lua/lib/permits_count.lua',
    changes: [['taken = taken + (expiry and 1 or 0)', 'taken = taken + (expiry and 1 or 1)']],
    tests: [
      'test/integration/expirable-semaphore/once.test.ts',
      'test/integration/expirable-semaphore/permits.test.ts',
    ],
  },
  {
    id: 'more-than-there-are',
    mistake: 'each waiter is served by itself from what was available for all',
    file: 'lua/lib/serve_waiters.lua',
    changes: [['need > available - taken then', 'need > available then']],
    tests: ['test/integration/semaphore/queue.test.ts', 'test/property/semaphore.test.ts'],
  },
  {
    id: 'small-overtakes-passed-over',
    mistake: 'a client is served though another is before it in the wait queue',
    file: 'lua/lib/serve_waiters.lua',
    changes: [['if first and first ~= client or need', 'if need']],
    tests: ['test/integration/semaphore/passed-over.test.ts'],
  },
  {
    id: 'grant-of-earlier-semaphore',
    mistake: 'permits go back to a semaphore that was made anew since',
    file: 'lua/semaphore/release.lua',
    changes: [['stored and (not record or id == record.id)', 'stored']],
    tests: ['test/integration/semaphore/generations.test.ts'],
  },
  {
    id: 'unmarked-permits-lost',
    mistake: 'permits that were acquired from a semaphore without a record are lost',
    file: 'lua/semaphore/release.lua',
    changes: [
      ['stored and (not record or id == record.id)', 'stored and record and id == record.id'],
    ],
    tests: [
      'test/integration/semaphore/generations.test.ts',
      'test/integration/semaphore/wire.test.ts',
    ],
  },
  {
    id: 'lost-grant-returned',
    mistake: 'a release gives permits back though its grant is not recorded',
    file: 'lua/lib/semaphore_take_out.lua',
    changes: [['elseif tonumber(born) <= record.forgotten then', 'else']],
    tests: ['test/property/failover.test.ts'],
  },
  {
    id: 'loose-uncounted',
    mistake: 'permits that come back without their grant raise the total at once',
    file: 'lua/lib/semaphore_settle.lua',
    changes: [['math.min(over, record.sum - record.loose)', '0']],
    tests: ['test/integration/told-permits/totals.test.ts'],
  },
  {
    id: 'stated-exceeded',
    mistake: 'a number that was stated grows by a bare release',
    file: 'lua/lib/semaphore_settle.lua',
    changes: [['if over > 0 and record.is_stated then', 'if false then']],
    tests: ['test/integration/told-permits/totals.test.ts'],
  },
  {
    id: 'release-twice',
    mistake: 'a second copy of a release returns the permits again',
    file: 'lua/lib/request_recall.lua',
    changes: [['  if seen then\n', "  if seen == 'x' then\n"]],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'settled-runs-again',
    mistake: 'a late copy of a call below the low-water mark runs',
    file: 'lua/lib/request_recall.lua',
    changes: [["    return 'late'\n", '    return nil\n']],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'low-water-goes-back',
    mistake: 'a call that runs out of order moves the low-water mark back',
    file: 'lua/lib/request_keep_record.lua',
    changes: [["'LT', 'CH',", "'CH',"]],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'answers-kept',
    mistake: 'the answers of settled calls are never dropped',
    file: 'lua/lib/request_keep_record.lua',
    changes: [
      [
        "redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. low_water)",
        "redis.call('ZREMRANGEBYSCORE', requests, '0', '(0')",
      ],
    ],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'burst-answers-kept',
    mistake: 'the answers of a burst stay until the next call of their object',
    file: 'src/core/delivery/requests.ts',
    changes: [['? this.#last + 1 : undefined', '? undefined : undefined']],
    tests: ['test/unit/requests.test.ts', 'test/integration/cost/bursts.test.ts'],
  },
  {
    id: 'burst-of-any-size',
    mistake: 'a command of its own tells the mark after every few calls',
    file: 'src/core/delivery/requests.ts',
    changes: [['const ANSWERS_MAX = 50', 'const ANSWERS_MAX = 0']],
    tests: ['test/unit/requests.test.ts', 'test/integration/cost/bursts.test.ts'],
  },
  {
    id: 'trim-loses-mark',
    mistake: 'a trim removes the low-water mark with the answers',
    file: 'lua/requests/trim.lua',
    changes: [["  zadd_for(requests, RECORD_MS, floor, 'floor')\n", '']],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'trim-forgets-newer',
    mistake: 'a trim that comes late removes the answers of calls since',
    file: 'lua/requests/trim.lua',
    changes: [["low_water, '+inf') > 0", "low_water, '+inf') < 0"]],
    tests: ['test/integration/scripts/requests.test.ts'],
  },
  {
    id: 'unacked-grant-kept',
    mistake: 'a copy of a refused ask that is granted later is never given back',
    file: 'src/core/permits/permit-queue.ts',
    changes: [
      ['settle(answer.granted === 0 && answered.unackedCopies > 0)', 'settle(answer.granted < 0)'],
    ],
    tests: ['test/faults/late-bytes-permits.test.ts'],
  },
  {
    id: 'dropped-ask-kept',
    mistake: 'what an ask is granted that nobody waits for any more is kept',
    file: 'src/core/permits/permit-queue.ts',
    changes: [
      [
        '      settle(delivery.abandon(call), call);\n',
        '      delivery.abandon(call);\n      settle(false);\n',
      ],
    ],
    tests: ['test/faults/aborted-answers.test.ts'],
  },
  {
    id: 'left-waiter-keeps-permits',
    mistake: 'a waiter that has left keeps the permits that it is granted',
    file: 'src/semaphore/acquisition.ts',
    changes: [
      ['      grants.giveBack(taken).catch((error: Error) => grants.failed(error));\n', ''],
    ],
    tests: [
      'test/integration/semaphore/queue.test.ts',
      'test/faults/aborted-answers.test.ts',
      'test/faults/reply-cut.test.ts',
    ],
  },
  {
    id: 'left-waiter-keeps-leased',
    mistake: 'a waiter that has left keeps the leased permits that it is granted',
    file: 'src/expirable-semaphore/acquisition.ts',
    changes: [
      ['    if (this.isOver) {\n      grants.giveBack(this);\n', '    if (this.isOver) {\n'],
    ],
    tests: ['test/faults/reply-cut.test.ts', 'test/faults/aborted-answers.test.ts'],
  },
  {
    id: 'head-leaves-silently',
    mistake: 'the waiters behind a head that leaves wait on, though they need fewer permits',
    file: 'src/core/permits/permit-queue.ts',
    changes: [['    if (wasHead) {\n', '    if (wasHead && this.#idle) {\n']],
    tests: ['test/integration/semaphore/queue.test.ts'],
  },
  {
    id: 'shared-permits',
    mistake: 'setting the permits of `y` unlinks those of `{y}`, with which it shares a key',
    file: 'lua/lib/permits_twin_refusal.lua',
    changes: [["if type(count) == 'string' and", "if type(count) == 'nil' and"]],
    tests: ['test/integration/names/shared-keys.test.ts'],
  },
  {
    id: 'outage-forgets-permits',
    mistake: 'a release that was not sent for ten minutes is given up',
    file: 'src/core/delivery/clean-up.ts',
    changes: [["if (limit === 'once sent' && !", "if (limit === 'none' && !"]],
    tests: ['test/faults/long-outage.test.ts'],
  },
  {
    id: 'permit-outlives-semaphore',
    mistake: 'the lease of a permit is told to last longer than its semaphore',
    file: 'src/expirable-semaphore/grants.ts',
    changes: [['      lease.limit(call.sentAt, lifeMs);\n', '']],
    tests: ['test/integration/expirable-semaphore/life.test.ts'],
  },
  {
    id: 'lost-return-counted',
    mistake:
      'a release whose first copy may have run gives back permits of a grant that is forgotten',
    file: 'src/semaphore/grants.ts',
    changes: [['again = mayHaveRun ? provenOnly(given)', 'again = mayHaveRun ? given']],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'lost-return-settled',
    mistake:
      'a release that was given up and may have run gives back permits of a grant that is forgotten',
    file: 'src/semaphore/grants.ts',
    changes: [
      ['const back = mayRun ? provenOnly(given) : given', 'const back = mayRun ? given : given'],
    ],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'forgotten-unreported',
    mistake: 'nobody hears of permits that may be lost, since their grant is forgotten',
    file: 'lua/semaphore/give-back.lua',
    changes: [['is_unproven and -1 or given', 'is_unproven and given or given']],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'unproven-once',
    mistake: 'a second copy of a settlement says nothing of permits that may be lost',
    file: 'lua/semaphore/give-back.lua',
    changes: [["is_unproven and 'unproven' or 'cancelled'", "'cancelled'"]],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'release-again-whole',
    mistake: 'a release that is made again gives back permits of a grant that is forgotten',
    file: 'src/semaphore/permits.ts',
    changes: [['    this.#taken = provenOnly(this.#taken);\n', '']],
    tests: ['test/faults/long-outage.test.ts'],
  },
];
