// @ts-check
// Mistakes about write locks that are handed on, and passed on inside a client: each is a rule left out.

const onServer = ['test/integration/hand-off/write.test.ts'];
const atInstants = ['test/integration/scripts/write-tickets.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const write = [
  {
    id: 'write-dead-not-passed-over',
    mistake: 'a write lock is handed to a client that is gone',
    file: 'lua/lib/rw_first_writer.lua',
    changes: [['listeners > 0 or is_refused and not has_ticket', 'listeners >= 0']],
    tests: onServer,
  },
  {
    id: 'write-unseen-for-ever',
    mistake: 'a client that does not listen is handed a write lock long after it has asked',
    file: 'lua/lib/rw_first_writer.lua',
    changes: [["is_seen == '0' and ABSENT_MS - left_ms <= UNSEEN_MS", "is_seen == '0'"]],
    tests: atInstants,
  },
  {
    id: 'write-dead-keeps-readers-out',
    mistake: 'a writer whose client is gone keeps readers out until it has lapsed',
    file: 'lua/lib/rw_first_writer.lua',
    changes: [['elseif not window_ms and not has_ticket then', 'elseif not has_ticket then']],
    tests: ['test/integration/rwlock/order.test.ts'],
  },
  {
    id: 'write-over-readers',
    mistake: 'a release hands the lock to a writer although readers have waited for longer',
    file: 'lua/lib/rw_next_writer.lua',
    changes: [['reader_since < since', 'reader_since < 0']],
    tests: onServer,
  },
  {
    id: 'write-run-over-own-reader',
    mistake: 'a client passes the write lock on over a reader of its own',
    file: 'src/rwlock/write-protocol.ts',
    changes: [['return !queues.has(this.sibling.lockId)', 'return queues.size > 0']],
    tests: onServer,
  },
  {
    id: 'write-run-over-readers',
    mistake: 'a client passes the write lock on though it was told of a reader',
    file: 'src/core/locks/hand-offs.ts',
    changes: [['holderId)?.endWithThisHold();', 'holderId)?.othersWait();']],
    tests: onServer,
  },
  {
    id: 'write-grant-hides-readers',
    mistake: 'a writer that is granted the lock is not told that readers wait',
    file: 'lua/lib/rw_grant.lua',
    changes: [['window_ms, readers_wait, keys.lock)', 'window_ms, 0, keys.lock)']],
    tests: onServer,
  },
  {
    id: 'write-answer-hides-readers',
    mistake: 'a writer that finds the lock free is not told that readers wait',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [['    others = 2\n', '    others = 1\n']],
    tests: atInstants,
  },
  {
    id: 'write-java-reader-untold',
    mistake: 'a writer does not learn that a reader of Java has come after it',
    file: 'lua/lib/rw_untold_writer.lua',
    changes: [["string.sub(ticket, -1) == '0'", "string.sub(ticket, -1) == ''"]],
    tests: onServer,
  },
  {
    id: 'write-never-opened',
    mistake: 'a write lock is never left to those who stand in no line',
    file: 'lua/lib/rw_turn.lua',
    changes: [['  return line_turn(', '  return false and line_turn(']],
    tests: onServer,
  },
  {
    id: 'write-turn-taken',
    mistake: 'a writer in the line takes a lock that was left to those in none',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [['  if back_ms > 0 then\n', '  if back_ms > STAND_BACK_MS then\n']],
    tests: atInstants,
  },
  {
    id: 'write-barges',
    mistake: 'a writer that finds the lock free takes it before those that have waited for longer',
    file: 'lua/rwlock/acquire-write.lua',
    changes: [['if first and first ~= holder and has_ticket and', 'if first == false and']],
    tests: atInstants,
  },
  {
    id: 'write-reader-ends-no-line',
    mistake: 'a reader that finds the lock free and a writer before it leaves that asleep',
    file: 'lua/rwlock/acquire-read.lua',
    changes: [['if not mode then\n  channel', 'if mode == nil then\n  channel']],
    tests: atInstants,
  },
  {
    id: 'writer-takes-over-place',
    mistake:
      'a writer takes over the place of one that gives up, before readers that asked before it',
    file: 'src/rwlock/write-protocol.ts',
    changes: [['readonly isSharedWithOthers = true;', 'readonly isSharedWithOthers = false;']],
    tests: ['test/integration/rwlock/leaving.test.ts'],
  },
];
