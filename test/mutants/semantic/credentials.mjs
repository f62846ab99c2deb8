// @ts-check
// Mistakes about credentials that change.

const TROUBLE = ['test/connections/credentials-trouble.test.ts'];
const EXPIRY = ['test/connections/credentials-expiry.test.ts'];
const SUCCESSION = ['test/unit/succession.test.ts'];
const ASKED = ['test/connections/credentials.test.ts'];

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const credentials = [
  {
    id: 'successor-too-early',
    mistake: 'a connection takes the place of another one before its channels are confirmed',
    file: 'src/core/connection/successor.ts',
    changes: [['this.#open?.size === 0', 'this.#open !== undefined']],
    tests: EXPIRY,
  },
  {
    id: 'successor-cuts-off',
    mistake: 'a connection is closed before it has brought what it has heard',
    file: 'src/core/connection/successor.ts',
    changes: [["redis.call('ping'),", 'Promise.resolve(),']],
    tests: TROUBLE,
  },
  {
    id: 'successor-trusts-the-silent',
    mistake: 'what a connection may not have brought is not asked for',
    file: 'src/core/connection/successor.ts',
    changes: [['      if (!hasBroughtAll) {\n        missed();\n      }\n', '']],
    tests: ['test/unit/successor.test.ts'],
  },
  {
    id: 'successor-unbounded',
    mistake:
      'a connection that is to take the place of another one waits for its channels for ever',
    file: 'src/core/connection/successor.ts',
    changes: [['      this.connection.drop(redis, new Error(why));\n', '']],
    tests: TROUBLE,
  },
  {
    id: 'successor-of-a-successor',
    mistake: 'a connection that is to take the place of another one is given up for one more',
    file: 'src/core/connection/subscriber.ts',
    changes: [['last === this.#connection && this.#successor === undefined', 'last !== undefined']],
    tests: SUCCESSION,
  },
  {
    id: 'successor-for-ever',
    mistake: 'a connection that has taken the place of another one is never replaced',
    file: 'src/core/connection/subscriber.ts',
    changes: [['    this.#connection.hasReplaced(last);\n', '']],
    tests: SUCCESSION,
  },
  {
    id: 'successor-cut',
    mistake: 'a connection that was cut takes the place of another one',
    file: 'src/core/connection/successor.ts',
    changes: [[' && this.connection.ready !== undefined', '']],
    tests: SUCCESSION,
  },
  {
    id: 'retired-outlives',
    mistake: 'a connection that was replaced goes on when its client is closed',
    file: 'src/core/connection/subscriber.ts',
    changes: [['[this.#retired, this.#successor,', '[this.#successor,']],
    tests: SUCCESSION,
  },
  {
    id: 'credentials-all-the-time',
    mistake: 'credentials with little time are asked for all the time',
    file: 'src/core/connection/sign-in.ts',
    changes: [['SOONEST_MS = 1_000', 'SOONEST_MS = 20']],
    tests: SUCCESSION,
  },
  {
    id: 'credentials-the-same',
    mistake: 'a connection is replaced though there are no other credentials',
    file: 'src/core/connection/sign-in.ts',
    changes: [['isSame ? 0 : ', '']],
    tests: SUCCESSION,
  },
  {
    id: 'credentials-until-the-end',
    mistake: 'connections sign in again when their credentials have run out',
    file: 'src/core/connection/sign-in.ts',
    changes: [['Math.min(leftMs * AHEAD_PART, AHEAD_MAX_MS)', '-leftMs / 2']],
    tests: EXPIRY,
  },
  {
    id: 'credentials-given-up',
    mistake: 'a connection that could not sign in again does not try once more',
    file: 'src/core/connection/sign-in.ts',
    changes: [['    this.#pause.begin();\n', '']],
    tests: TROUBLE,
  },
  {
    id: 'credentials-without-limit',
    mistake: 'a function that does not answer is waited for without limit',
    file: 'src/core/connection/credentials.ts',
    changes: [['clock, limitMs, () => {', 'clock, 100 * limitMs, () => {']],
    tests: ASKED,
  },
  {
    id: 'credentials-too-late',
    mistake: 'credentials that come after an attempt was given up open a connection',
    file: 'src/core/connection/driver.ts',
    changes: [['if (this.#isDestroyed) {', 'if (this.#use !== use) {']],
    tests: ASKED,
  },
  {
    id: 'credentials-of-the-template',
    mistake: 'credentials without a user are those of the default one',
    file: 'src/core/connection/driver.ts',
    changes: [['{ username = this.#options.username, password }', '{ username, password }']],
    tests: ASKED,
  },
];
