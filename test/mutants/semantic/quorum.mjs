// @ts-check
// Mistakes about locks that a majority of servers holds: each is a rule left out.

const MEMORY = 'src/quorum/server-memory.ts';
const VOTE = 'src/quorum/vote.ts';
const CLAIM = 'src/quorum/claim.ts';

const memory = ['test/unit/server-memory.test.ts'];
const holding = ['test/integration/quorum/holding.test.ts'];
const fencing = ['test/integration/quorum/fencing.test.ts'];
const runs = ['test/integration/quorum/runs.test.ts'];
const races = ['test/integration/quorum/races.test.ts'];
const forced = ['test/integration/quorum/forced.test.ts'];
const servers = ['test/integration/quorum/servers.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const quorum = [
  {
    id: 'quorum-question-for-all',
    mistake: 'a question waits for a server whose answer cannot change anything',
    file: 'src/quorum/survey.ts',
    changes: [[' || isSettled(this.#answers, missing, this.errors.length)', '']],
    tests: ['test/integration/quorum/questions.test.ts'],
  },
  {
    id: 'quorum-question-once',
    mistake: 'a server that is connected and does not vote yet never gets a question',
    file: 'src/quorum/survey.ts',
    changes: [['        } else {\n          this.#askLater(member);\n', '']],
    tests: ['test/integration/quorum/questions.test.ts'],
  },
  {
    id: 'quorum-failure-is-no-vote',
    mistake: 'a forced release does not count a server that has failed as one that may have had it',
    file: 'src/quorum/questions.ts',
    changes: [['countFreed(known, i) + failed + more', 'countFreed(known, i) + more']],
    tests: ['test/integration/quorum/questions.test.ts'],
  },
  {
    id: 'quorum-question-unsettled',
    mistake: 'a question is over although a server that is not connected yet decides it',
    file: 'src/quorum/survey.ts',
    changes: [['isSettled(this.#answers, missing, this.errors.length)', 'missing >= 0']],
    tests: ['test/integration/quorum/questions.test.ts'],
  },
  {
    id: 'quorum-loss-by-bystander',
    mistake: 'a server that never gave its vote names the reason of a loss',
    file: VOTE,
    changes: [["done(wasGiven || outcome === 'released' ? outcome : 'nothing')", 'done(outcome)']],
    tests: forced,
  },
  {
    id: 'quorum-restarted-votes',
    mistake: 'a server that was restarted votes at once',
    file: MEMORY,
    changes: [['this.#maxLeaseMs - (isTrusted ? upMs : 0)', '0']],
    tests: [...memory, ...servers],
  },
  {
    id: 'quorum-no-run-id',
    mistake: 'a server with another run_id is the one that it was',
    file: MEMORY,
    changes: [['wasKnown && runId !== undefined && runId === this.#runId', 'wasKnown']],
    tests: memory,
  },
  {
    id: 'quorum-other-server',
    mistake: 'the uptime of a server that has taken the place of another counts',
    file: MEMORY,
    changes: [['wasKnown && upMs > now - downSince', 'false']],
    tests: memory,
  },
  {
    id: 'quorum-uptime-grain',
    mistake: 'the uptime is taken for exact',
    file: MEMORY,
    changes: [['const UPTIME_GRAIN_MS = 1_000;', 'const UPTIME_GRAIN_MS = 0;']],
    tests: memory,
  },
  {
    id: 'quorum-step-votes',
    mistake: 'a step of the wall clock lets a server vote sooner',
    file: MEMORY,
    changes: [
      ['this.#clock.now() - this.#clock.steppedSince(this.#seenAt) - ', 'this.#clock.now() - '],
    ],
    tests: memory,
  },
  {
    id: 'quorum-promoted-votes',
    mistake: 'the uptime of a master that was a replica counts',
    file: MEMORY,
    changes: [[' && !standing.wasReplica', '']],
    tests: memory,
  },
  {
    id: 'quorum-twin-votes',
    mistake: 'two members that are one server have two votes',
    file: 'src/quorum/members.ts',
    changes: [
      [
        'const twin = runId === undefined ? undefined : seen.get(runId);',
        'const twin = undefined as Member | undefined;',
      ],
    ],
    tests: races,
  },
  {
    id: 'quorum-no-majority',
    mistake: 'a hold is proven by one server less than a majority',
    file: CLAIM,
    changes: [
      [
        'filter(({ isGiven }) => isGiven).length < this.#majority',
        'filter(({ isGiven }) => isGiven).length < this.#majority - 1',
      ],
    ],
    tests: [...races, ...servers],
  },
  {
    id: 'quorum-lost-comes-back',
    mistake: 'a vote that was lost counts again, whatever happened meanwhile',
    file: VOTE,
    changes: [['isSame && (!isAgain || this.#candidate.isConfirmedSince(this.#lostAt))', 'isSame']],
    tests: races,
  },
  {
    id: 'quorum-not-restored',
    mistake: 'a server that has forgotten a lock is not asked for it again',
    file: CLAIM,
    changes: [['        vote.ask(true, () => {});\n', '']],
    tests: servers,
  },
  {
    id: 'quorum-loser-keeps',
    mistake: 'an attempt that has failed keeps what it got',
    file: 'src/quorum/acquisition.ts',
    changes: [['      if (!isGranted) {\n        claim.giveUp();\n      }\n', '']],
    tests: holding,
  },
  {
    id: 'quorum-close-keeps',
    mistake: 'a client that closes while it asks keeps what it gets',
    file: 'src/quorum/attempt.ts',
    changes: [
      [
        '        round.end();\n        // A client that closes waits only for what is given back now.\n        this.#claim.giveUp();\n',
        '        round.end();\n',
      ],
    ],
    tests: races,
  },
  {
    id: 'quorum-lease-too-long',
    mistake: 'a lease may be longer than the longest one',
    file: 'src/quorum/lock.ts',
    changes: [["checkInteger('leaseMs', leaseMs, 1, this.#quorum.maxLeaseMs);", '']],
    tests: holding,
  },
  {
    id: 'quorum-token-alone',
    mistake: 'the token of a hold is that of one server',
    file: 'src/quorum/tokens.ts',
    changes: [['return token > most ? token : most;', 'return most === 0n ? token : most;']],
    tests: fencing,
  },
  {
    id: 'quorum-token-without-lock',
    mistake: 'a token is written where somebody else has the lock',
    file: 'lua/quorum/raise-tokens.lua',
    changes: [['    return 0\n', "    holder = ''\n"]],
    tests: fencing,
  },
  {
    id: 'quorum-token-lowers',
    mistake: 'writing a token lowers a counter',
    file: 'lua/quorum/raise-tokens.lua',
    changes: [['  if is_larger then', '  if is_larger or true then']],
    tests: fencing,
  },
  {
    id: 'quorum-token-unwritten',
    mistake: 'a hold is given before a majority has its token',
    file: 'src/quorum/attempt.ts',
    changes: [
      [
        '        resolve(outcomeOf(raised));\n      });\n',
        "        resolve(outcomeOf(raised));\n      });\n      resolve({ is: 'granted' });\n",
      ],
    ],
    tests: ['test/faults/reply-cut.test.ts'],
  },
  {
    id: 'quorum-token-without-time',
    mistake: 'a token is the counter and one, whatever the time',
    file: 'lua/lib/token_issue.lua',
    changes: [['  if number and number + 1 < micros then', '  if number and number < 0 then']],
    tests: ['test/contract/fencing.test.ts'],
  },
  {
    id: 'quorum-token-waits',
    mistake: 'that no majority can have the token is known only when the time is over',
    file: 'src/quorum/tokens.ts',
    changes: [["        done({ is: 'lost', errors });", '        errors.length += 0;']],
    tests: ['test/unit/quorum-tokens.test.ts'],
  },
  {
    id: 'quorum-token-late-grant',
    mistake: 'a server whose grant may come yet is not counted for the token',
    file: 'src/quorum/tokens.ts',
    changes: [['raised + open + asking() < this.#majority', 'raised + open < this.#majority']],
    tests: ['test/unit/quorum-tokens.test.ts'],
  },
  {
    id: 'quorum-held-twice',
    mistake: 'a hold stays held though the lock was granted to another hold of its client',
    file: 'src/quorum/acquisition.ts',
    changes: [['          this.#services.claims.endOthers(claim);\n', '']],
    tests: forced,
  },
  {
    id: 'quorum-loss-unanswered',
    mistake: 'a release that finds a majority gone reports that servers have not answered',
    file: 'src/quorum/release.ts',
    changes: [
      [
        '!(outcome instanceof Error)).length',
        "outcome === 'taken' || outcome === 'deleted').length",
      ],
    ],
    tests: forced,
  },
  {
    id: 'quorum-extension-early',
    mistake: 'an extension does not wait for a grant that is on its way',
    file: VOTE,
    changes: [['if (this.#leases === undefined && this.isAsking) {', 'if (this.#isOver) {']],
    tests: forced,
  },
  {
    id: 'quorum-force-denied',
    mistake: 'a server that does not answer a forced release counts as one that had no vote',
    file: 'src/quorum/questions.ts',
    changes: [
      ['countFreed(answers, i) + silent >= majority', 'countFreed(answers, i) >= majority'],
    ],
    tests: forced,
  },
  {
    id: 'quorum-forced-unknown',
    mistake: 'a forced release whose answers are missing is told as one that was not carried out',
    file: 'src/quorum/questions.ts',
    changes: [['survey.mayHaveRun ?', 'survey.errors.length > 9 ?']],
    tests: forced,
  },
  {
    id: 'quorum-forced-late',
    mistake: 'a forced release ends before all its servers, which free what is acquired after it',
    file: 'src/quorum/survey.ts',
    changes: [['this.#isLate && isCommand !== true', 'this.#isLate']],
    tests: ['test/integration/quorum/questions.test.ts'],
  },
  {
    id: 'quorum-first-only',
    mistake: 'a waiter asks no more servers than the first one that refuses',
    file: 'src/quorum/attempt.ts',
    changes: [
      [
        "asked === 'first' ? votes.find(({ member }) => member.votes) : undefined",
        'votes.find(({ member }) => member.votes)',
      ],
    ],
    tests: races,
  },
  {
    id: 'quorum-turn-freed-twice',
    mistake: 'a re-entry that is lost at once frees its turn twice',
    file: 'src/quorum/lock.ts',
    changes: [['    taken.length = 0;\n', '']],
    tests: races,
  },
  {
    id: 'quorum-runs-for-ever',
    mistake: 'a lock is passed on inside its client for as long as anybody waits there',
    file: 'src/quorum/run.ts',
    changes: [['const take = isInBounds && !this.#isOver ?', 'const take = !this.#isOver ?']],
    tests: runs,
  },
  {
    id: 'quorum-run-shares-token',
    mistake: 'a fenced lock is passed on with the token of the hold before',
    file: 'src/quorum/run.ts',
    changes: [['keys.token.length === 0', 'keys.token.length >= 0']],
    tests: runs,
  },
  {
    id: 'quorum-run-fixed',
    mistake: 'a waiter that wants a fixed lease gets a renewed one that is passed on',
    file: 'src/quorum/acquisition.ts',
    changes: [
      ['renewed && maxHoldMs === undefined ? this.#place', 'maxHoldMs === undefined ? this.#place'],
    ],
    tests: runs,
  },
  {
    id: 'quorum-run-offered-late',
    mistake: 'a waiter that has given up takes a claim, which is nobody’s then',
    file: 'src/quorum/idle-wait.ts',
    changes: [['        place?.offer(undefined);\n', '']],
    tests: runs,
  },
  {
    id: 'quorum-run-silent-loss',
    mistake: 'a hold that was passed on stays released, whatever the release of its claim shows',
    file: 'src/quorum/hold.ts',
    changes: [['      this.#claims.forEach((claim) => claim.foundLost(loss));\n', '']],
    tests: runs,
  },
];
