import type { Command, PendingCall } from '../wire/call.js';
import type { Request } from './requests.js';

/** How a tombstone keeps a counted call, given up by its caller, from running later. */
export interface Tombstone {
  /** `mayRun`: a copy of the call may run, or may have run. */
  readonly setTombstone: (request: Request, mayRun: boolean) => Command<unknown>;
  /** Set it also when the call was never sent: it then does what the call should have done. */
  readonly always: boolean;
  /** The call is about what is held, or gives back. */
  readonly goesFirst?: boolean | undefined;
  readonly follower?: TombstoneFollower | undefined;
}

/** Learns the outcome of a call after its caller has stopped waiting. */
export interface TombstoneFollower {
  /** The tombstone is set; `answer` says whether the call had run before. */
  tombstoneSet(answer: unknown, call: PendingCall): void;
  /** The outcome of the call will never be known. */
  forgotten?(error: Error): void;
}
