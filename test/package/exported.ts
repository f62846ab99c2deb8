// The names that the package exports.

/** The functions that the package exports. */
export const functions: readonly string[] = ['createClient', 'createQuorumClient'];

/** Its classes. */
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
  'ReplicasError',
  'TooManyWaitersError',
  'UnexpectedReplyError',
  'UnsupportedServerError',
  'WrongTypeError',
];
