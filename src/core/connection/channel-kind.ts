/**
 * One of the two kinds of channels. A connection has channels of one kind only: the server counts each kind
 * by itself, and the driver takes a count of none for the end of all, and drops what comes after it.
 */
export interface Kind {
  readonly subscribe: 'subscribe' | 'ssubscribe';
  readonly unsubscribe: 'unsubscribe' | 'sunsubscribe';
  readonly event: 'message' | 'smessage';
  readonly publish: 'PUBLISH' | 'SPUBLISH';
}

export const PLAIN: Kind = {
  subscribe: 'subscribe',
  unsubscribe: 'unsubscribe',
  event: 'message',
  publish: 'PUBLISH',
};

export const SHARDED: Kind = {
  subscribe: 'ssubscribe',
  unsubscribe: 'sunsubscribe',
  event: 'smessage',
  publish: 'SPUBLISH',
};
