// @ts-check
// Mistakes about locks that are handed on, and passed on inside a client: each is a rule left out.

const TICKET = 'src/core/locks/line-ticket.ts';
const PROOF = 'src/core/locks/proof.ts';
const QUEUE = 'src/core/locks/hand-off-queue.ts';
const RUN = 'src/core/locks/run.ts';

const onServer = ['test/integration/hand-off/hand-off.test.ts'];
const rules = ['test/unit/line-ticket.test.ts'];
const fencedRuns = ['test/integration/hand-off/fenced-runs.test.ts'];
const runs = [
  'test/unit/run.test.ts',
  'test/unit/passing.test.ts',
  'test/integration/hand-off/runs.test.ts',
];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const handOff = [
  {
    id: 'unseen-has-whole-window',
    mistake: 'a client that nobody can tell from a dead one is granted a lock for a whole window',
    file: TICKET,
    changes: [['this.terms.renewed && this.#isUnseen', 'false']],
    tests: ['test/simulation/unseen.test.ts'],
  },
  {
    id: 'push-from-now',
    mistake: 'the window of a grant counts from when its message came',
    file: PROOF,
    changes: [['sentAt + elapsedMs * (1 - DRIFT) - GRAIN_MS', 'now']],
    tests: rules,
  },
  {
    id: 'push-of-two-servers',
    mistake: 'a grant starts a hold though a connection is new since the ask',
    file: TICKET,
    changes: [['proof.epoch !== channels.epochOf(this.key) ||', 'proof === undefined ||']],
    tests: rules,
  },
  {
    id: 'push-unseen',
    mistake: 'a grant starts a hold though the server of the ask did not see the client listen',
    file: TICKET,
    changes: [['      proof?.isSeen !== true ||\n      proof.epoch', '      proof?.epoch']],
    tests: rules,
  },
  {
    id: 'push-outdated',
    mistake: 'a grant that an answer since then has denied starts a hold',
    file: TICKET,
    changes: [
      ['grant.serverMs < this.proof.serverMs', 'grant.serverMs < 0'],
      ['      grant.serverMs < proof.serverMs ||\n', ''],
    ],
    tests: rules,
  },
  {
    id: 'push-during-ask',
    mistake: 'a grant starts a hold while a copy of its ask is under way',
    file: TICKET,
    changes: [['      this.call !== undefined ||\n', '']],
    tests: rules,
  },
  {
    id: 'push-during-recheck',
    mistake:
      'a grant starts a hold though a question about it is under way, which may know of its end',
    file: TICKET,
    changes: [['      this.#rechecking ||\n', '']],
    tests: rules,
  },
  {
    id: 'push-after-force',
    mistake:
      'a grant that the client itself has ended by force starts a hold, when its message comes late',
    file: QUEUE,
    changes: [['this.#ticket.isDoubtful = true', 'void 0']],
    tests: ['test/faults/granted-unknown.test.ts'],
  },
  {
    id: 'push-implausible',
    mistake: 'a grant starts a hold though the clock of the server has jumped',
    file: PROOF,
    changes: [['return isPlausible && isInTime', 'return isInTime']],
    tests: rules,
  },
  {
    id: 'push-too-late',
    mistake: 'a grant whose window has passed starts a hold',
    file: PROOF,
    changes: [['return isPlausible && isInTime', 'return isPlausible']],
    tests: rules,
  },
  {
    id: 'push-early-lost',
    mistake: 'a grant that comes before the answer to its ask is forgotten',
    file: TICKET,
    changes: [['      this.#early = grant;\n', '']],
    tests: rules,
  },
  {
    id: 'push-during-force',
    mistake: 'a grant is believed while the client itself frees the lock by force',
    file: TICKET,
    changes: [[' ||\n      services.delivery.hasOpenRequest(this.key)', '']],
    tests: rules,
  },
  {
    id: 'news-lost',
    mistake: 'a message that comes during a re-check is forgotten',
    file: TICKET,
    changes: [['      this.#hasNews = true;\n', '']],
    tests: rules,
  },
  {
    id: 'grant-of-nobody',
    mistake: 'a grant that nobody waits for is kept for its window',
    file: 'src/core/locks/hand-offs.ts',
    changes: [['      this.#giveBack(grant)', '      void grant']],
    tests: onServer,
  },
  {
    id: 'window-unconfirmed',
    mistake: 'a grant for a window is not confirmed',
    file: 'src/core/lease/watchdog.ts',
    changes: [['      this.#confirm(lease, renewal);\n', '']],
    tests: onServer,
  },
  {
    id: 'ticket-of-another-lease',
    mistake: 'a waiter takes over the ticket of one with another lease',
    file: QUEUE,
    changes: [
      [
        'head?.leaseMs === terms?.leaseMs && head?.renewed === terms?.renewed',
        'head !== undefined',
      ],
    ],
    tests: onServer,
  },
  {
    id: 'dead-not-passed-over',
    mistake: 'a lock is handed to a client that is gone',
    file: 'lua/lib/line_first.lua',
    changes: [['own_listeners(id, lock, publish) > 0', 'own_listeners(id, lock, publish) >= 0']],
    tests: onServer,
  },
  {
    id: 'never-opened',
    mistake: 'a lock is never freed openly, so that those in no line starve',
    file: 'lua/lib/line_turn.lua',
    changes: [['  if is_due then\n', '  is_due = false\n  if is_due then\n']],
    tests: onServer,
  },
  {
    id: 'cancel-serves-nobody',
    mistake: 'a ticket that is given up in an open turn leaves the lock idle',
    file: 'lua/lib/lock_release.lua',
    changes: [
      ['if has_line and not is_opened then', 'if has_line and is_held and not is_opened then'],
    ],
    tests: onServer,
  },
  {
    id: 'overwritten-keeps-ticket',
    mistake: 'who gives up while the lock is overwritten keeps its place in the line',
    file: 'lua/lib/lock_release.lua',
    changes: [
      [
        '    line_leave(line, tickets, holder)\n    end\n    return is_held\n',
        '  end\n    return is_held\n',
      ],
    ],
    tests: onServer,
  },
  {
    id: 'run-shares-token',
    mistake: 'the holds of a run of a fenced lock have one token',
    file: RUN,
    changes: [['first + BigInt(this.#count)', 'first']],
    tests: fencedRuns,
  },
  {
    id: 'run-outgrows-tokens',
    mistake: 'a run of a fenced lock goes on without tokens',
    file: RUN,
    changes: [['Math.min(mostGrants, this.#holdsMax)', 'mostGrants']],
    tests: runs,
  },
  {
    id: 'tokens-from-last',
    mistake: 'the first hold of a grant has the last of its tokens',
    file: TICKET,
    changes: [['last - BigInt(this.terms.tokens - 1)', 'last']],
    tests: rules,
  },
  {
    id: 'run-without-end',
    mistake: 'a run goes on while another client waits',
    file: RUN,
    changes: [['mostGrants = isQuiet', 'mostGrants = true']],
    tests: runs,
  },
  {
    id: 'run-quiet-without-end',
    mistake: 'a run goes on for ever while no other client is known to wait',
    file: RUN,
    changes: [['&& isYoung;', '&& (isQuiet || isYoung);']],
    tests: runs,
  },
  {
    id: 'run-of-suspect',
    mistake: 'a hold that cannot be proven is passed on',
    file: RUN,
    changes: [["lease.state === 'held'", "lease.state !== 'lost'"]],
    tests: runs,
  },
  {
    id: 'run-of-reentered',
    mistake: 'a hold that was re-entered is passed on, though a copy of that may run',
    file: RUN,
    changes: [['lease.most === 1 && ', '']],
    tests: runs,
  },
  {
    id: 'run-of-extended',
    mistake: 'a hold whose lease was made longer is passed on',
    file: RUN,
    changes: [['!lease.isExtended && ', '']],
    tests: runs,
  },
  {
    id: 'run-of-fixed',
    mistake: 'a waiter with a fixed lease gets a renewed one',
    file: 'src/core/locks/passing-queue.ts',
    changes: [['next?.renewed === true && ', '']],
    tests: runs,
  },
  {
    id: 'run-loss-untold',
    mistake: 'the holds that were passed on are not told that the lock was lost meanwhile',
    file: 'src/core/locks/passing.ts',
    changes: [
      [
        '(error: LeaseLostError) => tellLost(run.takeUnproven(), error, owner)',
        '(error: LeaseLostError) => tellLost([], error, owner)',
      ],
    ],
    tests: runs,
  },
  {
    id: 'run-over-loss-untold',
    mistake: 'they are not told that when the run was over because of its bounds',
    file: 'src/core/locks/passing-queue.ts',
    changes: [
      [
        'return run?.lease === hold.lease ? run : undefined;',
        'return run?.lease === hold.lease && this.#allows(run, hold) ? run : undefined;',
      ],
    ],
    tests: ['test/faults/runs.test.ts'],
  },
  {
    id: 'run-keeps-name',
    mistake: 'each pass leaves the name in use for ever',
    file: 'src/core/locks/passing.ts',
    changes: [['  owner.services.names.leave(owner.protocol);\n', '']],
    tests: runs,
  },
  {
    id: 'run-reads-nothing',
    mistake: 'a run reads no messages',
    file: RUN,
    changes: [
      ['return isDue ? this.#readMessages() : Promise.resolve();', 'return Promise.resolve();'],
    ],
    tests: runs,
  },
];
