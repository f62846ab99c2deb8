// @ts-check

const copies = ['test/simulation/detached.test.ts'];
const refused = ['test/integration/lifecycle/detach-refused.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const detaching = [
  {
    id: 'adopted-id-unburnt',
    mistake: 'an adoption does not burn the holder id that had the lock',
    file: 'lua/lock/adopt.lua',
    changes: [
      ["redis.call('SET', KEYS[2], '1', 'PX', ARGV[4])", "redis.call('EXISTS', KEYS[2], ARGV[4])"],
    ],
    tests: copies,
  },
  {
    id: 'detached-id-unburnt',
    mistake: 'a hold that nobody adopts in time comes back with a late copy of its acquisition',
    file: 'lua/lock/detach.lua',
    changes: [
      ["redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])", "redis.call('EXISTS', KEYS[2], ARGV[3])"],
    ],
    tests: copies,
  },
  {
    id: 'adoption-after-put-back',
    mistake: 'an adoption that was given up is carried out when a copy comes late',
    file: 'lua/lock/adopt.lua',
    changes: [["redis.call('EXISTS', KEYS[3]) == 1", "redis.call('EXISTS', KEYS[3]) == 2"]],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'given-up-adoption-stays',
    mistake: 'an adoption that was given up is not taken back',
    file: 'src/core/grant/adoption.ts',
    changes: [['    if (mayRun) {', '    if (mayRun && waitLimit.ending === undefined) {']],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'detached-hold-given-back',
    mistake:
      'a late message about its grant has the old client release a hold that it has detached',
    file: 'src/core/locks/hand-offs.ts',
    changes: [['.isDetached = true;', '.isDetached = false;']],
    tests: ['test/faults/handed-late.test.ts'],
  },
  {
    id: 'detached-while-entered',
    mistake: 'a hold is detached though a re-entry has begun meanwhile',
    file: 'src/core/grant/grant-lifecycle.ts',
    changes: [
      ['    grant.assertHeld();\n    this.#detachable(grant);\n', '    grant.assertHeld();\n'],
    ],
    tests: refused,
  },
  {
    id: 'detached-entries-stay',
    mistake: 'those to whom a fair lock was passed on stay in its queue when it is detached',
    file: 'src/core/locks/lock-grants.ts',
    changes: [['    if (first !== undefined) {', '    if (first === lease.identity.key) {']],
    tests: refused,
  },
];
