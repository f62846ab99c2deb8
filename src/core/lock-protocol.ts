import type { Prepared } from './call.js';
import type { Holder } from './events.js';
import type { Renewal } from './watchdog.js';

/** What the server says to an acquisition. `gone`: the hold to re-enter is no longer there;
 * `cancelled`: this holder id was given up before. */
export type Verdict =
  | { readonly is: 'taken'; readonly fencingToken?: bigint }
  | { readonly is: 'busy'; readonly busyMs: number }
  | { readonly is: 'gone'; readonly reason: 'deleted' | 'taken' }
  | { readonly is: 'cancelled' };

/** What the server says to a release: the lock is free, other holds keep it, or the holder did not
 * have it: somebody else has, or nobody. */
export type ReleaseResult = 'freed' | 'kept' | 'taken' | 'deleted';

/** Who holds a lock and for how long: -2 ms when nobody does, -1 when it has no lease. */
export interface LockView {
  readonly ttlMs: number;
  readonly holders: readonly Holder[];
}

/**
 * One lock on its own wire layout: everything in which the kinds of exclusive lock differ. All
 * calls state outcomes, so running one twice equals running it once; force-release is counted.
 */
export interface LockProtocol {
  readonly kind: string;
  /** The name as the caller knows it. */
  readonly resource: string;
  /** The key, which routes its calls. */
  readonly key: string;
  /** The same for two faces of one lock of one client, and for nothing else. */
  readonly lockId: string;
  /** Where its releases are told. */
  readonly channel: string;
  /** Private record of this client's counted calls. */
  readonly requestsKey: string;
  /** The same function for all locks that can share a renewal command. */
  readonly renewal: Renewal;
  acquire(holderId: string, count: number, leaseMs: number): Prepared<Verdict>;
  /** `burnMs` > 0 makes sure that no later copy of the acquisition is granted. */
  release(holderId: string, count: number, burnMs: number): Prepared<ReleaseResult>;
  forceRelease(request: { number: number; floor: number }): Prepared<string>;
  inspect(): Prepared<LockView>;
}
