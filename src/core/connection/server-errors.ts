/** Redis 6 puts the name of the script in front of what a command in it was answered. */
const IN_SCRIPT = '^(?:ERR Error running script.*[\\s:-])?';

const NOT_NOW = new RegExp(
  `${IN_SCRIPT}(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY) `,
  'u',
);
const NO_WRITE = new RegExp(`${IN_SCRIPT}(?:NOREPLICAS|MISCONF|OOM) `, 'u');

/** The server does nothing just now: nothing was run, and the call is sent again a little later. */
export function isNotNow(error: Error): boolean {
  return NOT_NOW.test(error.message);
}

/** The user has no right to a command, a key or a channel. */
export function isAccessRefused(error: Error): boolean {
  return error.message.startsWith('NOPERM ');
}

/** The server takes no writes, until somebody mends it: a script stops before its first one. */
export function isNoWrite(error: Error): boolean {
  return NO_WRITE.test(error.message);
}
