import { AccessDeniedError, UnsupportedServerError } from '../../server-errors.js';
import { OLDEST_REDIS } from '../base/constants.generated.js';
import { withAdvice } from '../observe/warnings.js';

/** Redis 6 puts the name of the script in front of the error of a command in it, also where the script returns
 * that error itself. */
const IN_SCRIPT = '^(?:(?:ERR Error running script|@user_script:).*[\\s:-])?';

const NOT_NOW = new RegExp(
  `${IN_SCRIPT}(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY) `,
  'u',
);
const OF_SLOT = new RegExp(`${IN_SCRIPT}(?:TRYAGAIN|CLUSTERDOWN) `, 'u');
const NO_WRITE = new RegExp(`${IN_SCRIPT}(?:NOREPLICAS|MISCONF|OOM) `, 'u');

/** What a server has to be. */
export const NEEDED: string = `Redis ${OLDEST_REDIS} or later`;
const SCRIPTS = 'a server that runs Lua scripts (EVAL, EVALSHA)';

/** One node was given where most names are on others, or where others do not hear its messages. */
export const NODE_OF_CLUSTER: { readonly found: string; readonly needed: string } = {
  found: 'a node of a cluster',
  needed: 'a Cluster',
};

/** Answers to a script call of a server that lacks what the call needs. A name that was put in the place
 * of a command, or of none, is the same as a server without it. */
const LACKS: readonly (readonly [RegExp, found: string, needed: string])[] = [
  [/^ERR unknown command ['`]?eval(?:sha)?\b/iu, 'a server without scripts', SCRIPTS],
  // Valkey without its Lua module.
  [/^ERR Could not find scripting engine/u, 'a server without Lua', SCRIPTS],
  [
    /\bUnknown (?:Redis|Valkey|server) command called from (?:Lua )?script/u,
    'a server without a command that scripts call',
    `${NEEDED}, with all its commands`,
  ],
];

/** The server refuses for the moment: nothing was run, and the call is sent again a bit later. */
export function isNotNow(error: Error): boolean {
  return NOT_NOW.test(error.message);
}

/** The user has no right to a command, a key or a channel: nothing was run. */
export function isAccessRefused(error: Error): boolean {
  return /^(?:NOPERM|NOAUTH) /u.test(error.message);
}

/** The user may run no script at all. */
export function refusesScripts(error: Error): boolean {
  return isAccessRefused(error) && /'eval(?:sha)?'/iu.test(error.message);
}

/** It is refused for the moment because of its slot: calls of other slots may be carried out. */
export function isOfSlot(error: Error): boolean {
  return OF_SLOT.test(error.message);
}

/** The same, and others surely may: the slot is moving, or nobody serves it. */
export function isOfSlotAlone(error: Error): boolean {
  return isOfSlot(error) && !error.message.includes('The cluster is down');
}

/** Answers to signing in, and to a call, that stay the same until somebody changes the client's
 * options or the rights of its user. The sentinels' answers come inside of the driver's errors. */
const DENIED = new RegExp(
  '(?:^|Last error: )(?:WRONGPASS|NOAUTH|NOPERM) |' +
    '^ERR (?:invalid password|(?:invalid )?DB index|SELECT is not allowed)|' +
    // What a server that wants a password says to a long call before it.
    '^ERR Protocol error: unauthenticated |' +
    // A command in a script, up to Redis 6 and from Redis 7 on.
    "can't run this command|ACL failure in script",
  'u',
);

/** The server refuses this client, and trying again does not help. */
function isDenied(error: Error): boolean {
  return DENIED.test(error.message);
}

/** The client was never let in, so no call of it was carried out. When only some right is missing, or a
 * command, another copy of the call may have been before. */
export function hasNeverRun(error: Error): boolean {
  if (error instanceof UnsupportedServerError) {
    return error.cause === undefined;
  }
  const text = error.cause instanceof Error ? error.cause.message : '';
  const lacksRight = /NOPERM |can't run this command|ACL failure in script/u.test(text);
  return error instanceof AccessDeniedError && !lacksRight;
}

/** The server takes no writes until an operator mends it: a script stops before its first write. */
export function isNoWrite(error: Error): boolean {
  return NO_WRITE.test(error.message);
}

/** The server has refused a call before anything of it was run. */
export function isNotRun(error: Error): boolean {
  return isNotNow(error) || isNoWrite(error) || isAccessRefused(error);
}

/** The errors of calls that no retry can help. */
type Denial = AccessDeniedError | UnsupportedServerError;

/** The error of all calls, when this is why a connection could not be made, or why a call was refused;
 * undefined where another try may help. */
export function denialOf(error: Error | undefined): Denial | undefined {
  if (error === undefined || error instanceof UnsupportedServerError) {
    return error;
  }
  return isDenied(error) ? accessDenied('', error) : lackOfServer(error);
}

/** The error of a call that was refused. `mayPass`: a right that is missing may be given. */
export function callDenied(error: Error, mayPass: boolean): Denial | undefined {
  const denial = denialOf(error);
  return mayPass && denial instanceof AccessDeniedError ? undefined : denial;
}

/** The error of a call to which the server has given this answer, when it lacks what the call needs. */
function lackOfServer(cause: Error): UnsupportedServerError | undefined {
  const lack = LACKS.find(([answer]) => answer.test(cause.message));
  if (lack === undefined) {
    return undefined;
  }
  const [, found, needed] = lack;
  return unsupportedServer('', { found, needed, cause });
}

/** The error of a call to a server that cannot carry it out. Without a `cause` nothing was sent to it. */
export function unsupportedServer(
  resource: string,
  { found, needed, cause }: Pick<UnsupportedServerError, 'found' | 'needed' | 'cause'>,
): UnsupportedServerError {
  const about = resource === '' ? '' : ` for "${resource}"`;
  const message = `this server cannot be used${about}: found ${found}, needed ${needed}`;
  return new UnsupportedServerError(message, found, needed, { resource, cause });
}

/** The error of a call that the server refuses, and no retry can help. */
export function accessDenied(resource: string, cause: Error): AccessDeniedError {
  const about = resource === '' ? '' : ` for "${resource}"`;
  const message = `Redis refuses this client${about}: ${withAdvice(cause)}`;
  return new AccessDeniedError(message, { resource, cause });
}
