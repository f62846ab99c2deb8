// @ts-check
// Mistakes about readers and writers.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const rwlock = [
  {
    id: 'sweep-forgets-own-set',
    mistake: 'dead readers that are swept out of the lock stay in the set of their leases',
    file: 'lua/lib/rw_sweep.lua',
    changes: [["  redis.call('ZREM', readers, unpack(dead))\n", '']],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'reader-passes-writer',
    mistake: 'a reader passes a writer that has waited for longer',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [
      [
        'local is_behind = writer and writer_since < waits_since(since)',
        'local is_behind = writer and writer_since < 0',
      ],
    ],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'writer-passes-reader',
    mistake: 'a writer passes readers that have waited for longer',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [
      [
        'return reader and reader_since < own_since and reader_ms or nil',
        'return reader and reader_since < 0 * own_since and reader_ms or nil',
      ],
    ],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'shared-reader-ttl',
    mistake: 'a reader with a short lease lowers that of the others',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [
      [
        "local longest_ms = math.max(redis.call('PTTL', lock), lease_ms)",
        'local longest_ms = lease_ms',
      ],
    ],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'ttl-of-first-reader',
    mistake: 'only the first reader sets the TTL of the lock',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [
      [
        "    redis.call('PEXPIRE', lock, longest_ms)\n",
        "    if redis.call('PTTL', lock) < 0 then\n      redis.call('PEXPIRE', lock, longest_ms)\n    end\n",
      ],
    ],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'last-reader-silent',
    mistake: 'the last reader that leaves notifies nobody',
    file: 'lua/rwlock/release-read.lua',
    changes: [
      [
        "(holds))\n  return notify(not alive and -2 or is_opened and -6 or 1, ARGV[5], ARGV[6], '0')",
        '(holds))\n  return not alive and -2 or is_opened and -6 or 1',
      ],
    ],
    tests: ['test/integration/rwlock/wakeups.test.ts'],
  },
  {
    id: 'downgrade-silent',
    mistake: 'a writer that goes on as a reader lets no other reader in',
    file: 'lua/rwlock/release-write.lua',
    changes: [
      [
        "  redis.call('HSET', lock, 'mode', 'read')\n",
        "  redis.call('HSET', lock, 'mode', 'write')\n",
      ],
    ],
    tests: ['test/integration/rwlock/sides.test.ts', 'test/integration/rwlock/scopes.test.ts'],
  },
  {
    id: 'late-read-told',
    mistake: 'a read of a writer whose answer took longer than its lease is told',
    file: 'src/core/locks/reentry.ts',
    changes: [
      [
        'return lease.covers(this.#grants.services.clock.now()) || leaseMs < RETRIED_LEASE_MIN_MS;',
        'return lease.covers(this.#grants.services.clock.now()) || leaseMs > 0;',
      ],
    ],
    tests: ['test/faults/slow-answers.test.ts'],
  },
  {
    id: 'ghost-reader',
    mistake: 'a read of a writer is granted though its write hold is gone',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [
      [
        "if (count > 1 or writer_beside ~= '') and not is_beside then",
        'if count > 1 and not is_beside then',
      ],
    ],
    tests: ['test/integration/rwlock/ghosts.test.ts'],
  },
  {
    id: 'dead-reader-alive',
    mistake: 'a reader whose lease has ended is renewed',
    file: 'lua/lib/rw_is_alive.lua',
    changes: [['ends_left(tonumber(score), now) > 0', 'ends_left(tonumber(score), now) > -now']],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'companion-outlives',
    mistake: 'the read holds of a writer stay held when its write hold was taken',
    file: 'src/core/lease/lease.ts',
    changes: [['      this.companion?.lose(reason, cause);\n', '']],
    tests: ['test/unit/lease.test.ts'],
  },
  {
    id: 'companion-id-twice',
    mistake: 'every read beside a writer has its holder id, so a late release of one ends the next',
    file: 'src/core/locks/lock-grants.ts',
    changes: [
      [
        'isFirst ? hold.holderId : this.services.client.newHolderId()',
        'isFirst || hold.depth > 0 ? hold.holderId : this.services.client.newHolderId()',
      ],
    ],
    tests: ['test/faults/late-bytes-companions.test.ts'],
  },
  {
    id: 'readers-stay-in-line',
    mistake: 'a client whose readers have left stays in the wait queue, and writers wait for it',
    file: 'src/rwlock/reader-queue.ts',
    changes: [['this.#mayBeQueued = true;', 'this.#mayBeQueued ||= this.contended;']],
    tests: ['test/unit/reader-leaving.test.ts'],
  },
  {
    id: 'reader-loses-rank',
    mistake: 'a reader that enters the line later moves the entry of its client back',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [
      [
        "if ARGV[2] == 'queue' or before == 0 or before > earliest then",
        "if ARGV[2] ~= 'none' then",
      ],
    ],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
  {
    id: 'reader-rank-overwritten',
    mistake: 'a reader that asks again gets the rank of its last ask',
    file: 'src/rwlock/reader-queue.ts',
    changes: [['return rank || rankAt(', 'return 0 * rank || rankAt(']],
    tests: ['test/unit/reader-queue.test.ts'],
  },
  {
    id: 'writer-leaves-silently',
    mistake: 'a writer that stops waiting lets the readers behind it wait on',
    file: 'lua/rwlock/release-write.lua',
    changes: [["elseif mode ~= 'write' then", "elseif mode == 'write' then"]],
    tests: ['test/integration/rwlock/leaving.test.ts'],
  },
  {
    id: 'dead-client-in-line',
    mistake: 'a client that has died keeps its place in a wait queue',
    file: 'lua/lib/queue_first.lua',
    changes: [['heard + ABSENT_MS - now or 0', 'heard + ABSENT_MS * 1000 - now or 0']],
    tests: ['test/integration/scripts/readers.test.ts'],
  },
];
