// @ts-check
// Mistakes about instants on the server that are later than its clock, which was set back.

const tests = ['test/integration/scripts/clock-back.test.ts'];
const permits = [
  'test/integration/scripts/clock-back-permits.test.ts',
  'test/integration/scripts/permits.test.ts',
];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const clocks = [
  {
    id: 'heard-only-read',
    mistake: 'a heartbeat from the future is taken for now at each look, so that it never lapses',
    file: 'lua/lib/heard_at.lua',
    changes: [['    heard_again(', '    local _ = not heard and heard_again(']],
    tests,
  },
  {
    id: 'heard-one-by-one',
    mistake: 'dead waiters whose heartbeats are from the future lapse one after the other',
    file: 'lua/lib/heard_again.lua',
    changes: [['PERMITS_CHUNK)', '0)']],
    tests,
  },
  {
    id: 'twin-only-read',
    mistake: 'the name that shares a fair queue is refused for as long as the clock was set back',
    file: 'lua/lib/heard_last.lua',
    changes: [
      [
        '    heard_again(heartbeats, last[1], now)\n    return',
        '    return not heard and heard_again(heartbeats, last[1], now) or',
      ],
    ],
    tests,
  },
  {
    id: 'ticket-from-future',
    mistake: 'a ticket from the future is dropped at once, or later than others',
    file: 'lua/lib/heard_tickets.lua',
    changes: [['tonumber(heard) > now', 'false']],
    tests,
  },
  {
    id: 'reader-end-only-read',
    mistake: 'the end of a dead reader stays as far ahead as the clock was set back',
    file: 'lua/lib/rw_readers.lua',
    changes: [['if is_ahead then', 'if is_ahead == nil then']],
    tests,
  },
  {
    id: 'reader-end-unlimited',
    mistake: 'the lease of a reader is as long as its end says',
    file: 'lua/lib/ends_left.lua',
    changes: [['math.min(left_ms, length_ms)', 'math.max(left_ms, left_ms)']],
    tests,
  },
  {
    id: 'permit-end-only-read',
    mistake:
      'a request that finds no permit free leaves the ends of dead permits as far ahead as they are',
    file: 'lua/expirable-semaphore/acquire.lua',
    changes: [['if served < #counts and pool then', 'if served == nil and pool then']],
    tests: ['test/simulation/clock.test.ts'],
  },
  {
    id: 'permit-end-of-java',
    mistake: 'an end that Java wrote is taken for ours',
    file: 'lua/lib/leases_length.lua',
    changes: [['score % LEASE_END_MS == expiry % LEASE_END_MS', 'score']],
    tests: permits,
  },
  {
    id: 'permit-left-unlimited',
    mistake: 'a holder counts on an end that others may bring down',
    file: 'lua/expirable-semaphore/renew.lua',
    changes: [['length_ms or math.huge)', 'math.huge)']],
    tests: permits,
  },
  {
    id: 'permit-end-unrecorded',
    mistake: 'an end that was renewed or updated is not recorded',
    file: 'lua/lib/leases_write.lua',
    changes: [['leases_score(now, expiry)', 'leases_score(now, expiry - 1)']],
    tests: permits,
  },
  {
    id: 'permit-end-once',
    mistake: 'an end that was brought down once is not known as ours any more',
    file: 'lua/lib/leases_bring_down.lua',
    changes: [['leases_score(now, now + length_ms)', 'leases_score(now, now + length_ms - 1)']],
    tests: permits,
  },
  {
    id: 'java-ends-stay-ahead',
    mistake: 'leases whose end Java has changed keep those behind them from being brought down',
    file: 'lua/lib/leases_bring_down.lua',
    changes: [["leases, '', unpack(gone))", "leases, '')"]],
    tests: permits,
  },
  {
    id: 'permit-thousand-only',
    mistake: 'of many ends that are too far ahead the first thousand count',
    file: 'lua/lib/leases_bring_down.lua',
    changes: [['return #permits == PERMITS_CHUNK', 'return #permits == nil']],
    tests: permits,
  },
  {
    id: 'lease-records-pile-up',
    mistake: 'the leases of permits that Java returns are recorded for ever',
    file: 'lua/lib/leases_forget.lua',
    changes: [['if not expiry and', 'if expiry == nil and']],
    tests: permits,
  },
  {
    id: 'rank-by-clock',
    mistake: 'after the clock was set back those who ask come before those who wait',
    file: 'lua/lib/rank_new.lua',
    changes: [['rank = math.max(rank,', 'rank = math.min(rank,']],
    tests,
  },
  {
    id: 'new-writer-first',
    mistake: 'a writer that has not waited is compared with readers by the clock',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [['holder) or math.huge)', 'holder) or micros)']],
    tests,
  },
];
