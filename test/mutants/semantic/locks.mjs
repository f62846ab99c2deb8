// @ts-check
// Mistakes about who holds a lock.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const locks = [
  {
    id: 'release-without-owner',
    mistake: 'a release frees the lock whoever holds it',
    file: 'lua/lib/lock_release.lua',
    changes: [
      ["redis.pcall('HEXISTS', lock, holder)", "redis.pcall('EXISTS', lock)"],
      ["redis.call('HLEN', lock) > 1", "redis.call('HLEN', lock) < 0"],
      [
        "end\n  redis.call('HDEL', lock, holder)\n  if message",
        "end\n  redis.call('DEL', lock)\n  if message",
      ],
    ],
    tests: [
      'test/contract/mutual-exclusion.test.ts',
      'test/faults/late-bytes-locks.test.ts',
      'test/contract/wire.test.ts',
    ],
  },
  {
    id: 'forgets-to-burn',
    mistake: 'an acquisition that was given up gets no tombstone',
    file: 'lua/lib/lock_release.lua',
    changes: [['if tombstone_ms > 0 then', 'if tombstone_ms < 0 then']],
    tests: ['test/faults/late-bytes-locks.test.ts', 'test/faults/reply-cut.test.ts'],
  },
  {
    id: 'forced-without-tombstone',
    mistake: 'a forced release lets late copies of the acquisitions that it ends in again',
    file: 'lua/lib/tombstones_set.lua',
    changes: [["if fields[i] ~= 'mode' then", "if fields[i] == 'mode' then"]],
    tests: ['test/faults/late-bytes-forced.test.ts'],
  },
  {
    id: 'tombstone-not-asked-for',
    mistake: 'an acquisition that is given up while a copy may run asks for no tombstone',
    file: 'src/core/locks/ticket.ts',
    changes: [['this.asks.cancel(left)', 'this.asks.cancel({ ...left, hasUnackedCopy: false })']],
    tests: ['test/faults/late-bytes-locks.test.ts', 'test/faults/late-requests.test.ts'],
  },
  {
    id: 'late-grant-without-tombstone',
    mistake: 'a grant that came too late is taken back without a tombstone though a copy may run',
    file: 'src/core/locks/ticket.ts',
    changes: [
      [
        'asks.cancel({ holderId, hasUnackedCopy })',
        'asks.cancel({ holderId, hasUnackedCopy: false })',
      ],
    ],
    tests: ['test/unit/attempt.test.ts'],
  },
  {
    id: 'tombstone-not-read',
    mistake: 'a late copy of an acquisition that has a tombstone is granted',
    file: 'lua/lib/lock_admit.lua',
    changes: [["redis.call('EXISTS', tombstone) == 1", "redis.call('EXISTS', tombstone) == 2"]],
    tests: ['test/faults/late-bytes-locks.test.ts'],
  },
  {
    id: 'aborted-acquisition-stays',
    mistake: 'an acquisition that is given up is not taken back',
    file: 'src/core/locks/ticket.ts',
    changes: [
      [
        'const isLeft = hasUnackedCopy || (this.#asksForPosition && this.#wasSent);',
        'const isLeft = hasUnackedCopy && this.#asksForPosition;',
      ],
    ],
    tests: ['test/faults/aborted-answers.test.ts'],
  },
  {
    id: 'reentry-not-checked',
    mistake: 'a re-entry is granted into a lock that is free by now, as a first hold',
    file: 'lua/lib/lock_admit.lua',
    changes: [['  if count > 1 then\n    return -2\n', '  if count < 1 then\n    return -2\n']],
    tests: [
      'test/property/lock.test.ts',
      'test/faults/late-bytes-locks.test.ts',
      'test/contract/reentry.test.ts',
    ],
  },
  {
    id: 'inner-release-frees',
    mistake: 'the release of a re-entry frees the lock under the outer hold',
    file: 'src/core/locks/release-terms.ts',
    changes: [
      ['{ count: holder.alive, tombstoneMs: 0', '{ count: holder.alive - 1, tombstoneMs: 0'],
    ],
    tests: ['test/contract/reentry.test.ts'],
  },
  {
    id: 'reentry-under-way-not-counted',
    mistake: 'a release forgets a re-entry that is under way',
    file: 'src/core/locks/reentry.ts',
    changes: [
      [
        '    lease.add(this);\n    const lengthening',
        '    void Promise.resolve().then(() => lease.add(this));\n    const lengthening',
      ],
    ],
    tests: [
      'test/integration/locks/reentry-in-flight.test.ts',
      'test/integration/locks/reentry-one-breath.test.ts',
    ],
  },
  {
    id: 'branches-together',
    mistake: 'parallel branches re-enter through one hold at the same time',
    file: 'src/core/locks/reentry.ts',
    changes: [
      [
        'if (protocol.isShared || reentries.tryTake()) {',
        'if (protocol.isShared || reentries.tryTake() || waits) {',
      ],
    ],
    tests: ['test/contract/reentry.test.ts'],
  },
  {
    id: 'failed-reentry-not-restated',
    mistake: 'a re-entry that failed stays counted on the server',
    file: 'src/core/locks/reentry.ts',
    changes: [['      this.#grants.restate(lease, isOnly ? ask : undefined);\n', '']],
    tests: [
      'test/integration/locks/reentry-in-flight.test.ts',
      'test/faults/late-bytes-locks.test.ts',
    ],
  },
  {
    id: 'older-holds-stay',
    mistake: 'a grant leaves older holds of this client held, which it excludes',
    file: 'src/core/locks/acquisition.ts',
    changes: [['    endOthers(grants);\n', '']],
    tests: ['test/integration/locks/forced-in-flight.test.ts'],
  },
  {
    id: 'forced-release-keeps-earlier',
    mistake: 'holds that were asked for before a forced release outlive it',
    file: 'src/core/grant/grant-lifecycle.ts',
    changes: [['if (lease.order < order) {', 'if (lease.order > order) {']],
    tests: ['test/integration/locks/forced-in-flight.test.ts'],
  },
  {
    id: 'forced-release-reordered',
    mistake: 'a hold whose acquisition may have run again behind a forced release is not released',
    file: 'src/core/grant/grant-lifecycle.ts',
    changes: [
      [
        '        if (lease.isReordered) {',
        '        if (lease.isReordered && lease.isGranted && lease.active) {',
      ],
    ],
    tests: ['test/unit/forced-release.test.ts'],
  },
  {
    id: 'token-new-on-reentry',
    mistake: 'a re-entry into a fenced lock gets a new token',
    file: 'lua/lock/acquire-fenced.lua',
    changes: [
      ["= count > 1 and redis.call('GET', token)", "= count > 99 and redis.call('GET', token)"],
    ],
    tests: ['test/contract/fencing-counter.test.ts'],
  },
  {
    id: 'token-goes-back',
    mistake: 'tokens start again at 1 when their counter was lost',
    file: 'lua/lib/token_issue.lua',
    changes: [['number + 1 < micros', 'number + 1 < micros * 0']],
    tests: ['test/contract/fencing.test.ts'],
  },
  {
    id: 'token-of-copy-kept',
    mistake:
      'a copy of an acquisition reports the counter as it is, though later grants may have been lost',
    file: 'lua/lib/lock_enter.lua',
    changes: [
      [
        'issued = token_issue(token, tokens)\n    end',
        "issued = held > 0 and redis.call('GET', token) or token_issue(token, tokens)\n    end",
      ],
    ],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-attempt-kept',
    mistake: 'so does a copy of an attempt that does not wait',
    file: 'lua/lock/acquire-fenced.lua',
    changes: [
      [
        "= count > 1 and redis.call('GET', token)",
        "= (count > 1 or held > 0) and redis.call('GET', token)",
      ],
    ],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-ticket-kept',
    mistake: 'so does a re-check that finds its ticket granted',
    file: 'lua/lock/recheck.lua',
    changes: [
      [
        'issued = token_issue(token, TOKEN_BLOCK)',
        "issued = redis.call('GET', token) or token_issue(token, TOKEN_BLOCK)",
      ],
    ],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-joint-copy-kept',
    mistake: 'so does a copy of an acquisition of a multi-lock',
    file: 'lua/multi-lock/acquire.lua',
    changes: [
      [
        "token and token_issue(token, 1) or '0'",
        "token and (counts[i] and counts[i] > 0 and redis.call('GET', token) or token_issue(token, 1)) or '0'",
      ],
    ],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-copy-needs-memory',
    mistake: 'a copy of an acquisition is refused at maxmemory, though the first one was granted',
    file: 'lua/lib/lock_enter.lua',
    changes: [['if held > 0 then\n        -- It was', 'if held > 9 then\n        -- It was']],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-attempt-needs-memory',
    mistake: 'so is a copy of an attempt that does not wait',
    file: 'lua/lock/acquire-fenced.lua',
    changes: [['if held > 0 then\n    needs_no', 'if held > 9 then\n    needs_no']],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-ticket-needs-memory',
    mistake: 'so is a re-check that finds its ticket granted',
    file: 'lua/lock/recheck.lua',
    changes: [
      ['    needs_no_memory(lock)\n', '    if is_new then\n      needs_no_memory(lock)\n    end\n'],
    ],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-of-joint-copy-needs-memory',
    mistake: 'so is a copy of an acquisition of a multi-lock',
    file: 'lua/multi-lock/acquire.lua',
    changes: [['elseif takes then', 'elseif takes and upto > size then']],
    tests: ['test/simulation/fencing.test.ts'],
  },
  {
    id: 'token-refusal-for-all',
    mistake: 'a counter that is no number keeps all tickets of a re-check from their answers',
    file: 'lua/lock/recheck.lua',
    changes: [
      [
        "string.find(issued.err, 'integer', 1, true) and '?'",
        "string.find(issued.err, 'integral', 1, true) and '?'",
      ],
    ],
    tests: ['test/integration/scripts/rechecks.test.ts'],
  },
  {
    id: 'token-with-ttl',
    mistake: 'the counter of the tokens ends with a lease',
    file: 'lua/lib/token_issue.lua',
    changes: [
      ["redis.pcall('SET', token, issued)", "redis.pcall('SET', token, issued, 'PX', RECORD_MS)"],
    ],
    tests: ['test/contract/fencing-counter.test.ts'],
  },
  {
    id: 'lock-without-ttl',
    mistake: 'a lock whose TTL was refused stays, without one',
    file: 'lua/lib/lock_write_hold.lua',
    changes: [["      redis.call('HDEL', lock, holder)\n", '']],
    tests: ['test/connections/refused-commands.test.ts'],
  },
  {
    id: 'publish-before-record',
    mistake: 'a forced release notifies before it records that it ran',
    file: 'lua/lock/force-release.lua',
    changes: [
      [
        "  local answer = request_record(requests, number, tostring(redis.call('DEL', lock)))\n  return notify_ended(answer, lock, clients, own, ARGV[3], ARGV[4], answer == '1' and '0')",
        "  local freed = tostring(redis.call('DEL', lock))\n  local answer = notify_ended(freed, lock, clients, own, ARGV[3], ARGV[4], '0')\n  return request_record(requests, number, answer)",
      ],
    ],
    refusedBy: 'generator',
    tests: [],
  },
  {
    id: 'lost-keeps-its-entry',
    mistake: 'a hold that is found lost leaves the queue entry that a failover has brought back',
    file: 'src/core/grant/grant-lifecycle.ts',
    changes: [[" || (this.mayBeInLine && reason !== 'expired')", '']],
    tests: ['test/integration/fair-lock/wire.test.ts', 'test/integration/rwlock/line.test.ts'],
  },
  {
    id: 'foreign-lock-waited-for',
    mistake: 'a hash of the application under the name of a lock is taken for a lock of another',
    file: 'lua/lib/lock_foreign.lua',
    changes: [
      [
        'return found and foreign(lock, found) or nil',
        'return found and layout and foreign(lock, found) or nil',
      ],
    ],
    tests: ['test/integration/names/foreign-keys.test.ts'],
  },
  {
    id: 'foreign-rwlock-granted',
    mistake: 'a hash of the application with a mode is taken for a read-write lock',
    file: 'lua/lib/rw_mode.lua',
    changes: [["if layout ~= 'read-write lock' then", 'if found and not mode then']],
    tests: ['test/integration/names/foreign-keys.test.ts'],
  },
  {
    id: 'foreign-tickets-written',
    mistake: 'a ticket is written into a hash of the application',
    file: 'lua/lib/tickets_checked.lua',
    changes: [['if not is_ours then', 'if false then']],
    tests: ['test/integration/names/foreign-keys.test.ts'],
  },
  {
    id: 'foreign-beside-mode',
    mistake: 'the mode is taken for a field that shows whose hash it is',
    file: 'lua/lib/lock_layout.lua',
    changes: [["redis.call('HRANDFIELD', lock, 2)", "redis.call('HRANDFIELD', lock, 1)"]],
    tests: ['test/integration/names/foreign-keys.test.ts'],
  },
  {
    id: 'overwritten-is-deleted',
    mistake: 'a renewal reports that a lock that was overwritten was deleted',
    file: 'lua/lib/lock_gone.lua',
    changes: [["is_foreign and '3' or ", '']],
    tests: ['test/integration/names/overwritten-grants.test.ts'],
  },
];
