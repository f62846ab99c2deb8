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

/** The user has no right to a command, a key or a channel. */
export function isAccessRefused(error: Error): boolean {
  return error.message.startsWith('NOPERM ');
}

/** The server takes no writes until an operator mends it: a script stops before its first write. */
export function isNoWrite(error: Error): boolean {
  return NO_WRITE.test(error.message);
}
