// The names that the package exports.

/** What the package exports besides `createClient`. */
export const classes: readonly string[] = [
  'AccessDeniedError',
  'AcquireTimeoutError',
  'ClosedError',
  'CommandTimeoutError',
  'CoordinationError',
  'DeadlockError',
  'LeaseLostError',
  'NotHeldError',
  'OutcomeUnknownError',
  'PermitsMismatchError',
  'UnexpectedReplyError',
  'UnsupportedServerError',
  'WrongTypeError',
];
