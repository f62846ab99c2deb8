// @ts-check
// Mistakes about semaphores that go when nobody uses them.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const unused = [
  {
    id: 'goes-while-a-permit-is-out',
    mistake: 'a counting semaphore has an end though one of its permits is out',
    file: 'lua/lib/semaphore_idle.lua',
    changes: [['if available >= record.total then', 'if available + 1 >= record.total then']],
    tests: ['test/simulation/idle.test.ts'],
  },
  {
    id: 'goes-before-the-last-lease',
    mistake: 'a permit-expirable semaphore ends so long after a call, whatever leases stand',
    file: 'lua/lib/permits_used.lua',
    changes: [['stands_ms + math.max', '0 * stands_ms + math.max']],
    tests: ['test/simulation/idle.test.ts', 'test/simulation/idle-races.test.ts'],
  },
  {
    id: 'known-no-longer-than-it-is-there',
    mistake: 'a permit that is granted in the last millisecond goes with its semaphore',
    file: 'lua/expirable-semaphore/acquire.lua',
    changes: [['if life_ms >= 0 then', 'if life_ms > 0 then']],
    tests: ['test/simulation/idle-races.test.ts'],
  },
  {
    id: 'goes-under-a-waiter',
    mistake: 'a semaphore goes while somebody waits for more permits than there are',
    file: 'lua/lib/semaphore_idle.lua',
    changes: [['math.max(record.idle_ms, KEPT_MIN_MS)', 'record.idle_ms']],
    tests: ['test/simulation/idle-races.test.ts'],
  },
  {
    id: 'leased-goes-under-a-waiter',
    mistake: 'a permit-expirable semaphore goes before a waiter asks again, after a use of others',
    file: 'lua/lib/permits_used.lua',
    changes: [['math.max(idle_ms, KEPT_MIN_MS)', 'idle_ms']],
    tests: ['test/simulation/idle-races.test.ts'],
  },
  {
    id: 'goes-once-it-is-set',
    mistake: 'a number that is set goes before a waiter asks again',
    file: 'lua/expirable-semaphore/try-set.lua',
    changes: [['math.max(-ttl_ms, KEPT_MIN_MS)', '-ttl_ms']],
    tests: ['test/simulation/idle.test.ts'],
  },
  {
    id: 'record-goes-first',
    mistake: 'nothing is known of a semaphore any more in its last second',
    file: 'lua/lib/semaphore_keep.lua',
    changes: [['record.end_ms + OUTLIVES_MS', 'record.end_ms - OUTLIVES_MS']],
    tests: ['test/simulation/idle-races.test.ts'],
  },
];
