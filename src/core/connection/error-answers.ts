import { OLDEST_REDIS } from '../base/constants.generated.js';

/**
 * What an error answer shows of the call that it answers:
 * - `no script`: the server does not know the script yet. Nothing was run.
 * - `elsewhere`: another node serves the key. Nothing was run.
 * - `not now`: the server, or one slot of it, refuses calls for the moment. Nothing was run.
 * - `no writes`: the server takes no writes until an operator corrects that. A script stops before its first write.
 * - `no right`: the user may not send this call, or is not let in. Nothing was run.
 * - `no right inside`: a right that a command in the script needs is missing. A script that counts has changed nothing
 *   then; one that states who holds a lock may have run up to that command, and a copy of it does the rest.
 * - `other data`: something else is under the name. Nothing was changed, and there is nothing to give back.
 * - `unsupported`: the server lacks what the call needs, whatever its state.
 * - `unknown`: any other. A proxy may give it for a server that has carried out the call.
 */
export type ErrorAnswer =
  | 'no script'
  | 'elsewhere'
  | 'not now'
  | 'no writes'
  | 'no right'
  | 'no right inside'
  | 'other data'
  | 'unsupported'
  | 'unknown';

/** Redis 6 puts the name of the script in front of the error of a command in it, also where the script returns
 * that error itself. */
const IN_SCRIPT = '^(?:(?:ERR Error running script|@user_script:).*[\\s:-])?';

const NOT_NOW = new RegExp(
  `${IN_SCRIPT}(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY) `,
  'u',
);
const OF_SLOT = new RegExp(`${IN_SCRIPT}(?:TRYAGAIN|CLUSTERDOWN) `, 'u');
const NO_WRITES = new RegExp(`${IN_SCRIPT}(?:NOREPLICAS|MISCONF|OOM) `, 'u');
const OTHER_DATA = new RegExp(`${IN_SCRIPT}WRONGTYPE `, 'u');

/** A right to a command, a key or a channel that a command in a script needs: up to Redis 7.0, and later. */
const NO_RIGHT_INSIDE =
  /The user executing the script (?:can't |is lacking the permissions)|ACL failure in script/u;

/** Answers to signing in, and to a call, that stay the same until somebody changes the client's options or the rights
 * of its user. The sentinels' answers come inside of the driver's errors. */
const NO_RIGHT = new RegExp(
  '(?:^|Last error: )(?:WRONGPASS|NOAUTH|NOPERM) |' +
    '^ERR (?:invalid password|(?:invalid )?DB index|SELECT is not allowed)|' +
    // What a server that wants a password replies to a long call before it.
    '^ERR Protocol error: unauthenticated ',
  'u',
);

/** What a server has to be. */
export const NEEDED: string = `Redis ${OLDEST_REDIS} or later`;
const SCRIPTS = 'a server that runs Lua scripts (EVAL, EVALSHA)';

/** Answers to a script call of a server that lacks what the call needs. A name that was put in the place
 * of a command, or of none, is the same as a server without it. */
const LACKS: readonly (readonly [RegExp, found: string, needed: string])[] = [
  [/^ERR unknown command ['`]?eval(?:sha)?\b/iu, 'a server without scripts', SCRIPTS],
  // Valkey without its Lua module.
  [/^ERR Could not find scripting engine/u, 'a server without Lua', SCRIPTS],
  [
    /\bUnknown (?:(?:Redis|Valkey|server) )?command called from (?:Lua )?script/u,
    'a server without a command that scripts call',
    `${NEEDED}, with all its commands`,
  ],
];

/** What a server lacks that gives this answer to a call, and what it needs; undefined for any other answer. */
export function lackShown({ message }: Error): { found: string; needed: string } | undefined {
  const [, found = '', needed = ''] = LACKS.find(([answer]) => answer.test(message)) ?? [];
  return found === '' ? undefined : { found, needed };
}

const ANSWERS: readonly (readonly [RegExp, ErrorAnswer])[] = [
  [/^NOSCRIPT /u, 'no script'],
  [/^(?:MOVED|ASK) /u, 'elsewhere'],
  [NOT_NOW, 'not now'],
  [NO_WRITES, 'no writes'],
  [OTHER_DATA, 'other data'],
  // Before the next one: some versions begin it with NOPERM.
  [NO_RIGHT_INSIDE, 'no right inside'],
  [NO_RIGHT, 'no right'],
  ...LACKS.map(([text]) => [text, 'unsupported'] as const),
];

/** What an error answer shows, in the words of any version of a server. */
export function answerOf({ message }: Error): ErrorAnswer {
  return ANSWERS.find(([text]) => text.test(message))?.[1] ?? 'unknown';
}

/** The user lacks a right to a command, a key or a channel, or is not let in. */
export function isNoRight(error: Error): boolean {
  const answer = answerOf(error);
  return answer === 'no right' || answer === 'no right inside';
}

/** The server refuses for the moment: nothing was run, and the call is sent again a bit later. */
export function isNotNow(error: Error): boolean {
  return answerOf(error) === 'not now';
}

/** The server takes no writes until an operator corrects that. */
export function isNoWrites(error: Error): boolean {
  return answerOf(error) === 'no writes';
}

/** A call that could not be sent again was refused, and has done nothing that a copy of it would not do. */
export function isNotRun(error: Error): boolean {
  return isNotNow(error) || isNoWrites(error) || isNoRight(error);
}

/** The user may run no script at all. */
export function refusesScripts(error: Error): boolean {
  return isNoRight(error) && /'eval(?:sha)?'/iu.test(error.message);
}

/** A call is refused for the moment because of its slot: calls of other slots may be carried out. */
export function isOfSlot(error: Error): boolean {
  return OF_SLOT.test(error.message);
}

/** The same, and others surely may: the slot is moving, or nobody serves it. */
export function isOfSlotAlone(error: Error): boolean {
  return isOfSlot(error) && !error.message.includes('The cluster is down');
}
