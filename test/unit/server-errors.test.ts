// What the error answers of servers and proxies show, however their versions word them, and which calls go on behind
// each.

import { expect, test } from 'vitest';
import {
  answerOf,
  isNotNow,
  isNoWrites,
  type ErrorAnswer,
} from '../../src/core/connection/error-answers.js';
import { isSentAgain } from '../../src/core/connection/resend-queue.js';
import { Call, commandOf } from '../../src/core/wire/call.js';
import { requestsTrim } from '../../src/core/wire/scripts.generated.js';

/** Ways in which a refused command of a script reaches the client: Redis 7, and Redis 6.2 where the script did not
 * expect it, and where it did. */
const ways = [
  (text: string) => text,
  (text: string) =>
    `ERR Error running script (call to f_1): @user_script:3: @user_script: 3: -${text}`,
  (text: string) => `@user_script: 205: -${text}`,
];

test.each([
  "READONLY You can't write against a read only replica.",
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
])('nothing was run, and it may be later: %s', (text) => {
  for (const way of ways) {
    expect([way(text), isNotNow(new Error(way(text)))]).toEqual([way(text), true]);
    expect(isNoWrites(new Error(way(text)))).toBe(false);
  }
});

test.each([
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Errors writing to the AOF file: No space left on device',
  'NOREPLICAS Not enough good replicas to write.',
])('no writes are taken: %s', (text) => {
  for (const way of ways) {
    expect([way(text), isNoWrites(new Error(way(text)))]).toEqual([way(text), true]);
    expect(isNotNow(new Error(way(text)))).toBe(false);
  }
});

test('what a script says itself is no refusal, whatever word is in it', () => {
  expect(isNotNow(new Error('ERR unknown LOADING '))).toBe(false);
  expect(isNoWrites(new Error('WRONGTYPE OOM '))).toBe(false);
});

/** Answers as servers of these versions and proxies word them. */
const worded: Record<ErrorAnswer, readonly string[]> = {
  'no script': ['NOSCRIPT No matching script. Please use EVAL.'],
  elsewhere: ['MOVED 1 127.0.0.1:7000', 'ASK 1 127.0.0.1:7000'],
  'not now': [
    'BUSY Redis is busy running a script.',
    'CLUSTERDOWN Hash slot not served',
    'TRYAGAIN Multiple keys request during rehashing of slot',
  ],
  'no writes': ["OOM command not allowed when used memory > 'maxmemory'."],
  'no right': [
    "NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    'ERR invalid password',
    'ERR DB index is out of range',
    'ERR Protocol error: unauthenticated bulk length',
    'All sentinels are unreachable. Last error: NOAUTH Authentication required.',
  ],
  'no right inside': [
    // 6.2
    "ERR Error running script (call to f_1): @user_script:3: @user_script: 3: The user executing the script can't run this command or subcommand",
    "@user_script: 3: The user executing the script can't access at least one of the keys mentioned in the command arguments",
    'ERR The user executing the script is lacking the permissions for the command',
    // 7.0
    "ERR The user executing the script can't run this command or subcommand script: 1, on @user_script:3.",
    // 7.2 and later
    "ERR ACL failure in script: User u has no permissions to run the 'hdel' command",
    'NOPERM ACL failure in script: No permissions to access a key',
  ],
  'other data': [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'ERR Error running script (call to f_1): @user_script:3: WRONGTYPE Operation against a key',
    'WRONGTYPE key 1 holds a string script: 1, on @user_script:9.',
  ],
  unsupported: [
    "ERR unknown command 'EVALSHA', with args beginning with: ",
    "ERR Could not find scripting engine 'lua'",
    'ERR Unknown Redis command called from script',
    'ERR Unknown command called from script script: 1, on @user_script:3.',
  ],
  unknown: [
    'upstream failure',
    'ERR upstream failure',
    'ERR internal error',
    'ERR the shard replied WRONGTYPE',
    'ERR user_script:1: attempt to index a nil value',
    '',
  ],
};

/** The calls that are sent again behind an answer of each class. */
const again: Record<ErrorAnswer, readonly string[]> = {
  // At once, where the source was not sent.
  'no script': ['ordinary', 'numbered', 'insists'],
  // These are handled before.
  'not now': [],
  unsupported: [],
  elsewhere: ['insists'],
  'no writes': ['numbered', 'insists'],
  'no right': ['ordinary', 'numbered', 'insists'],
  'no right inside': ['ordinary', 'numbered', 'insists'],
  'other data': [],
  unknown: ['numbered', 'insists'],
};

const answers = (Object.keys(worded) as ErrorAnswer[]).flatMap((answer) =>
  worded[answer].map((text) => ({ answer, text })),
);

test.each(answers)('shows "$answer": $text', ({ answer, text }) => {
  expect(answerOf(new Error(text))).toBe(answer);
});

test.each(Object.keys(again) as ErrorAnswer[])(
  'the calls that are sent again behind "%s" are those of the table',
  (answer) => {
    const command = commandOf(requestsTrim, { requests: 'key' }, { lowWater: 1 });
    const receiver = { answered: () => {}, failed: () => {} };
    const watch = { failed: () => {}, unheard: () => {} };
    const classes = {
      ofRound: {},
      ordinary: {},
      numbered: { isNumbered: true },
      insists: { insists: true },
    };

    const sent = Object.entries(classes).flatMap(([name, terms]) => {
      const call = Object.assign(new Call(command, receiver, name !== 'ofRound', watch), terms);
      return isSentAgain(call, answer) ? [name] : [];
    });

    expect(sent).toEqual(again[answer]);
  },
);
