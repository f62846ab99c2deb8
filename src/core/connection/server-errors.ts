import { AccessDeniedError } from '../../errors.js';
import { withAdvice } from '../observe/warnings.js';

/** Redis 6 puts the name of the script in front of the error of a command in it. */
const IN_SCRIPT = '^(?:ERR Error running script.*[\\s:-])?';

const NOT_NOW = new RegExp(
  `${IN_SCRIPT}(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY) `,
  'u',
);
const NO_WRITE = new RegExp(`${IN_SCRIPT}(?:NOREPLICAS|MISCONF|OOM) `, 'u');

/** The server refuses for the moment: nothing was run, and the call is sent again a bit later. */
export function isNotNow(error: Error): boolean {
  return NOT_NOW.test(error.message);
}

/** The user has no right to a command, a key or a channel: nothing was run. */
export function isAccessRefused(error: Error): boolean {
  return /^(?:NOPERM|NOAUTH) /u.test(error.message);
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
export function isDenied(error: Error): boolean {
  return DENIED.test(error.message);
}

/** Some right is missing, and another call may have been carried out before it was. Without signing in
 * no call of the client was. */
export function lacksRight({ cause }: AccessDeniedError): boolean {
  const text = cause instanceof Error ? cause.message : '';
  return /NOPERM |can't run this command|ACL failure in script/u.test(text);
}

/** The server takes no writes until an operator mends it: a script stops before its first write. */
export function isNoWrite(error: Error): boolean {
  return NO_WRITE.test(error.message);
}

/** The error of a call that no retry can help. */
export function accessDenied(resource: string, cause: Error): AccessDeniedError {
  const about = resource === '' ? '' : ` for "${resource}"`;
  const message = `Redis refuses this client${about}: ${withAdvice(cause)}`;
  return new AccessDeniedError(message, { resource, cause });
}
