// @ts-check
// Mistakes about fair locks: their queue, and how they are handed on.

const FIRST = 'lua/lib/fair_first.lua';
const SCORES = 'lua/lib/fair_score_queue.lua';
const QUEUE = 'src/lock/fair-hand-off-queue.ts';

const tickets = ['answers', 'tickets'].map(
  (file) => `test/integration/scripts/fair-${file}.test.ts`,
);
const onServer = ['test/integration/hand-off/fair.test.ts'];
const leaving = ['test/simulation/fair-leaving.test.ts'];
const order = ['test/integration/fair-lock/order.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const fair = [
  {
    id: 'fair-next-asks-seldom',
    mistake: 'the next waiter of a client that is not seen asks as seldom as one that is notified',
    file: QUEUE,
    changes: [['head.pauseMs(this.#isTold)', 'head.pauseMs(true)']],
    tests: ['test/simulation/unseen.test.ts'],
  },
  {
    id: 'fair-newcomer-first',
    mistake: 'a newcomer takes a free fair lock before those who wait',
    file: 'lua/fair-lock/acquire.lua',
    changes: [
      [
        'local is_behind = first and first ~= holder',
        'local is_behind = first and first ~= holder and false',
      ],
    ],
    tests: ['test/integration/scripts/fair-line.test.ts'],
  },
  {
    id: 'fair-dead-head',
    mistake: 'a dead client stays at the head of a fair lock for as long as its score says',
    file: 'lua/lib/fair_first.lua',
    changes: [
      [
        'local absent_at = heartbeat and heartbeat + ABSENT_MS or',
        'local absent_at = heartbeat and heartbeat + ABSENT_MS + QUEUE_TTL_MS or',
      ],
    ],
    tests: ['test/integration/scripts/fair-line.test.ts'],
  },
  {
    id: 'fair-leaver-swallows',
    mistake: 'the head of a fair lock that leaves keeps the message to itself',
    file: 'lua/fair-lock/release.lua',
    changes: [['if is_free and leaves[first] then', 'if is_free and first == false then']],
    tests: ['test/integration/scripts/fair-line.test.ts'],
  },
  {
    id: 'fair-waiter-stays',
    mistake: 'a waiter that gives up stays in the queue of a fair lock',
    file: 'lua/fair-lock/release.lua',
    changes: [['if first then\n  leave_queue(others)', 'if not first then\n  leave_queue(others)']],
    tests: ['test/integration/scripts/fair-line.test.ts'],
  },
  {
    id: 'fair-to-the-absent',
    mistake: 'a fair lock is handed to a client that is not there',
    file: FIRST,
    changes: [['own_listeners(id, lock, publish) > 0', 'own_listeners(id, lock, publish) >= 0']],
    tests: tickets,
  },
  {
    id: 'fair-unseen-for-ever',
    mistake: 'a client that does not listen is handed a fair lock however long it has not asked',
    file: FIRST,
    changes: [[' and now - heartbeat <= UNSEEN_MS', '']],
    tests: tickets,
  },
  {
    id: 'fair-unseen-never',
    mistake: 'a client that does not listen yet is never handed a fair lock',
    file: FIRST,
    changes: [["is_seen == '0'", "is_seen == '2'"]],
    tests: tickets,
  },
  {
    id: 'fair-absent-loses-place',
    mistake: 'a client that is away for a moment loses its place in the queue of a fair lock',
    file: FIRST,
    changes: [['      at = at + 1\n', '      remove(id)\n']],
    tests: tickets,
  },
  {
    id: 'fair-absent-before-java',
    mistake: 'an entry that is passed over stays before a waiter of Java, which then never gets in',
    file: FIRST,
    changes: [['for _ = 1, at do', 'for _ = 1, 0 do']],
    tests: tickets,
  },
  {
    id: 'fair-second-unasked',
    mistake:
      'a waiter is granted a fair lock, though its client is away and only asks for another one',
    file: FIRST,
    changes: [['if can_take[client] == nil then', 'if true then']],
    tests: tickets,
  },
  {
    id: 'fair-untold-unasked',
    mistake: 'a waiter of a fair lock that was not told of its grant waits until its window ends',
    file: 'src/lock/fair-hand-off-queue.ts',
    changes: [['if (ownHolder !== undefined) {', "if (ownHolder === '') {"]],
    tests: ['test/faults/own-channel.test.ts'],
  },
  {
    id: 'fair-grant-keeps-ticket',
    mistake: 'the ticket of a grant stays',
    file: 'lua/lib/fair_leave_queue.lua',
    changes: [["  redis.call('HDEL', tickets, holder, 'told')\n", '']],
    tests: tickets,
  },
  {
    id: 'fair-forced-not-served',
    mistake: 'a forced release frees a fair lock beside the lease of the next holder',
    file: 'lua/fair-lock/force-release.lua',
    changes: [['if told and told.is_granted then', 'if told and not told.is_granted then']],
    tests: tickets,
  },
  {
    id: 'fair-neighbour-untold',
    mistake: 'nobody tells a waiter that whoever is before it now does not hand the lock on',
    file: 'lua/fair-lock/release.lua',
    changes: [['if not hands_on then', 'if not hands_on and false then']],
    tests: tickets,
  },
  {
    id: 'fair-neighbour-untold-when-free',
    mistake: 'the same, where the lock is free and its head has not come yet',
    file: 'lua/fair-lock/release.lua',
    changes: [
      [
        'if is_free and leaves[first] then',
        'if is_free and not leaves[first] then return -2 end\nif is_free then',
      ],
    ],
    tests: tickets,
  },
  {
    id: 'fair-stranger-hands-on',
    mistake: 'a waiter behind one of Java does not listen for its message',
    file: 'lua/lib/fair_hands_on.lua',
    changes: [
      [
        'or own_listeners(before, lock, publish) > 0',
        'or own_listeners(before, lock, publish) >= 0',
      ],
    ],
    tests: tickets,
  },
  {
    id: 'fair-deaf-behind-java',
    mistake: 'the first waiter behind one of Java does not listen for its message',
    file: QUEUE,
    changes: [['if (!isOurs) {', 'if (false) {']],
    tests: onServer,
  },
  {
    id: 'fair-late-turn-again',
    mistake: 'a client that learns of its grants too late is before everybody again and again',
    file: QUEUE,
    changes: [[' && !wasPushed', '']],
    tests: order,
  },
  {
    id: 'fair-second-first',
    mistake:
      'a later call of a client gets in before an earlier one, where the server has them in that order',
    file: QUEUE,
    changes: [['    this.#tickets.giveToFirst(ticket);\n', '']],
    tests: order,
  },
  {
    id: 'fair-pause-unnoticed',
    mistake:
      'after a pause the waiters of a client find out one by one that their entries are gone',
    file: QUEUE,
    changes: [['>= ABSENT_MS', '< 0']],
    tests: onServer,
  },
  {
    id: 'fair-run-of-all',
    mistake: 'a client passes a fair lock on to waiters that are not right behind',
    file: QUEUE,
    changes: [['? 1 : grant.holdsMax;', '? 1 : Infinity;']],
    tests: onServer,
  },
  {
    id: 'fair-run-past-gap',
    mistake: 'a client passes a fair lock on beyond a waiter that has given up',
    file: QUEUE,
    changes: [['      this.run?.endWithThisHold();\n', '']],
    tests: onServer,
  },
  {
    id: 'fair-served-stay',
    mistake: 'those to whom a client has passed a fair lock on stay in its queue',
    file: 'lua/fair-lock/release.lua',
    changes: [['  leave_queue(others)\n  local served', '  local served']],
    tests: [...tickets, 'test/integration/scripts/fair-leaving.test.ts'],
  },
  {
    id: 'fair-given-up-keeps-served',
    mistake:
      'a re-entry that is given up leaves those in the queue to whom a fair lock was passed on',
    file: 'src/core/locks/lock-grants.ts',
    changes: [['others === NOBODY ? terms', 'terms.count > 0 ? terms']],
    tests: ['test/integration/hand-off/fair-reentry.test.ts'],
  },
  {
    id: 'fair-served-forgotten',
    mistake: 'a release does not name those to whom a fair lock was passed on',
    file: QUEUE,
    changes: [['this.#served.push(ticket.holderId);', '']],
    tests: onServer,
  },
  {
    id: 'fair-push-after-force',
    mistake:
      'a grant that the client itself has ended by force starts a hold, when its message comes late',
    file: QUEUE,
    changes: [['      ticket.isDoubtful = true;\n', '      void ticket;\n']],
    tests: ['test/faults/granted-unknown.test.ts'],
  },
  {
    id: 'fair-default-patience',
    mistake: 'every Java waiter of a fair lock is taken for one of the default patience',
    file: SCORES,
    changes: [['enough = enough + patience', 'enough = enough + PATIENCE_MS']],
    tests: ['test/integration/scripts/fair-java.test.ts'],
  },
  {
    id: 'fair-margin-forgotten',
    mistake: 'a heartbeat forgets how far ahead of now an entry behind Java waiters was',
    file: SCORES,
    changes: [['enough = math.max(enough, score + now - heard[owner])', '']],
    tests: ['test/integration/scripts/fair-java.test.ts'],
  },
  {
    id: 'fair-java-left-behind',
    mistake: 'a heartbeat renews an entry of ours and not the Java waiters right behind it',
    file: SCORES,
    changes: [['next_score = score + moved', 'next_score = score']],
    tests: ['test/integration/scripts/fair-java.test.ts'],
  },
  {
    id: 'fair-veteran-head',
    mistake: 'a Java waiter at the head that has waited for long is taken for an impatient one',
    file: SCORES,
    changes: [['math.max(patience, PATIENCE_MS)', 'math.max(patience, 0)']],
    tests: ['test/integration/scripts/fair-java.test.ts'],
  },
  {
    id: 'fair-gap-stays',
    mistake: 'Java waiters keep counting an entry of ours before them that has left',
    file: 'lua/lib/fair_leave_queue.lua',
    changes: [['#behind > 0', '#behind < 0']],
    tests: ['test/integration/scripts/fair-java.test.ts'],
  },
  {
    id: 'fair-runaway',
    mistake: 'an entry behind a hundred others is further ahead than the last one of these',
    file: 'lua/lib/fair_score_at_end.lua',
    changes: [['math.max(enough, least + PATIENCE_MS)', 'enough + PATIENCE_MS']],
    tests: ['test/integration/fair-lock/wire.test.ts'],
  },
  {
    id: 'fair-gone-counted',
    mistake: 'a run counts the entries of waiters that had given up when the lock was granted',
    file: QUEUE,
    changes: [['this.#leavers.entriesUntil >= grant.acquiring.sentAt', 'false']],
    tests: leaving,
  },
  {
    id: 'fair-gone-once-answered',
    mistake: 'an entry that has left since the grant was not counted',
    file: 'src/lock/fair-leavers.ts',
    changes: [['Infinity : this.#clock.now()', 'Infinity : -Infinity']],
    tests: leaving,
  },
  {
    id: 'fair-gone-for-ever',
    mistake: 'after a waiter has given up no lock is passed on',
    file: 'src/lock/fair-leavers.ts',
    changes: [['this.#leaving -= count', 'this.#leaving -= 0']],
    tests: leaving,
  },
];
