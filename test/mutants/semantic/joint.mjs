// @ts-check
// Mistakes about several locks that are held together: each is a rule left out.

const ACQUIRE = 'lua/multi-lock/acquire.lua';
const RELEASE = 'lua/multi-lock/release.lua';
const HAND_OFFS = 'src/core/locks/hand-offs.ts';

const names = ['test/integration/multi-lock/names.test.ts'];
const taking = ['test/integration/multi-lock/taking.test.ts'];
const messages = ['test/integration/multi-lock/messages.test.ts'];
const copies = ['test/faults/reply-cut.test.ts'];
const ends = ['test/simulation/several-names.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const joint = [
  {
    id: 'joint-any-order',
    mistake: 'names are taken in the order in which they were given',
    file: 'src/multi-lock/names.ts',
    changes: [
      ['locks.toSorted((a, b) => a.slot - b.slot || Buffer.compare(a.bytes, b.bytes))', 'locks'],
    ],
    tests: names,
  },
  {
    id: 'joint-order-of-bytes',
    mistake: 'names are taken by their bytes alone, and so not slot after slot',
    file: 'src/multi-lock/names.ts',
    changes: [['a.slot - b.slot || ', '']],
    tests: names,
  },
  {
    id: 'joint-loss-keeps-others',
    mistake: 'the other names of a multi-lock that was lost are not released',
    file: 'src/multi-lock/hold.ts',
    changes: [['        this.#releaseAll(),\n', '        Promise.resolve(),\n']],
    tests: ['test/integration/multi-lock/holding.test.ts'],
  },
  {
    id: 'joint-restart-keeps',
    mistake: 'an acquisition that starts again keeps what it has',
    file: 'src/multi-lock/acquisition.ts',
    changes: [['    void this.release();\n    return undefined;', '    return undefined;']],
    tests: taking,
  },
  {
    id: 'joint-held-not-checked',
    mistake: 'the last ask does not see that a name which it had is gone',
    file: ACQUIRE,
    changes: [["== 0 and 'lost' or nil", "== 2 and 'lost' or nil"]],
    tests: taking,
  },
  {
    id: 'joint-late-bound',
    mistake: 'a multi-lock whose bound was over before its last answer came is a hold',
    file: 'src/multi-lock/ask.ts',
    changes: [['call.sentAt + (maxHoldMs ?? Infinity) <= now || ', '']],
    tests: ['test/simulation/several-names.test.ts'],
  },
  {
    id: 'joint-one-asks-again',
    mistake: 'a multi-lock of one name asks once more when it was granted that',
    file: 'src/multi-lock/acquisition.ts',
    changes: [['this.parts.length === 1 && this.terms.renewed', 'false && this.terms.renewed']],
    tests: ['test/simulation/several-names.test.ts'],
  },
  {
    id: 'joint-shortened-silently',
    mistake: 'the first waiter of a name whose lease is shortened is not told',
    file: ACQUIRE,
    changes: [["if type(first) == 'string' then", "if type(first) == 'table' then"]],
    tests: messages,
  },
  {
    id: 'joint-try-heeds-line',
    mistake: 'an acquisition that does not wait heeds those who do',
    file: ACQUIRE,
    changes: [["or held > 0 or ARGV[5] == '1' then", 'or held > 0 then']],
    tests: taking,
  },
  {
    id: 'joint-early-given-back',
    mistake: 'a grant that is told before the answer to the ask for it is given back',
    file: HAND_OFFS,
    changes: [['    this.#early.set(holderId, []);\n', '']],
    tests: messages,
  },
  {
    id: 'joint-early-forgotten',
    mistake: 'a grant that is told before the answer to the ask for it is forgotten',
    file: HAND_OFFS,
    changes: [['      this.#heard(message);\n    }\n', '      void message;\n    }\n']],
    tests: messages,
  },
  {
    id: 'joint-next-behind-answer',
    mistake: 'the next waiter of a client is asked for when the release before it was answered',
    file: 'src/multi-lock/releases.ts',
    changes: [['      entries.forEach(({ grants }) => grants.sentRelease());\n', '']],
    tests: messages,
  },
  {
    id: 'joint-release-sees-no-stranger',
    mistake: 'a release of several names leaves none to those who stand in no line',
    file: RELEASE,
    changes: [['(answer[2 * i] or 0) > math.max', '(answer[2 * i] or 0) < -math.max']],
    tests: messages,
  },
  {
    id: 'joint-ticket-forgotten',
    mistake: 'the end of a part forgets the ticket for another lock that has its holder id',
    file: 'src/core/locks/hand-offs.ts',
    changes: [['this.#ticketFor(holderId, key) !== undefined', "key !== ''"]],
    tests: messages,
  },
  {
    id: 'joint-late-message',
    mistake: 'a part that a second copy finds granted is given back by the message that granted it',
    file: 'src/multi-lock/ask.ts',
    changes: [['call.sentAt !== call.lastSentAt', "this.#holder === ''"]],
    tests: copies,
  },
  {
    id: 'joint-memory-of-list',
    mistake: 'the check of memory takes the tombstone for a list',
    file: ACQUIRE,
    changes: [
      [
        "redis.call('SET', keys_of(1)[2], '1', 'XX', 'KEEPTTL')",
        "redis.call('LLEN', keys_of(1)[2])",
      ],
    ],
    tests: copies,
  },
  {
    id: 'joint-refused-is-done',
    mistake: 'the release of one part that is refused counts as done',
    file: 'src/multi-lock/releases.ts',
    changes: [['    return false;\n  }\n  if', '    return true;\n  }\n  if']],
    tests: ['test/faults/refused-parts.test.ts'],
  },
  {
    id: 'joint-contention-forgotten',
    mistake: 'a wait for one part that has no answer yet forgets that others had it a moment ago',
    file: 'src/multi-lock/busy-part.ts',
    changes: [['(this.#contended(holders) ?? error)', 'error']],
    tests: ends,
  },
  {
    id: 'joint-silence-proves',
    mistake: 'a server that has not answered the ask for the rest still proves contention',
    file: 'src/multi-lock/ask.ts',
    changes: [
      ['      this.#asker.busy.contention.asked(this.#services.clock.now(), this.#call);\n', ''],
    ],
    tests: ends,
  },
];
