import type { Runtime } from '../runtime.js';
import { FollowUps } from './follow-ups.js';
import type { LockHold } from './hold.js';
import { Scopes } from './scopes.js';
import type { WaitQueue } from './wait-queue.js';

/** One for all clients: whatever stores an async context costs every promise of the process, and
 * stays after its client. */
const scopes = new Scopes<LockHold>();

/** What all locks of one client share. */
export class LockState {
  readonly runtime: Runtime;
  readonly scopes: Scopes<LockHold> = scopes;
  /** Local waiters, by lock. */
  readonly queues: Map<string, WaitQueue> = new Map();
  readonly followUps: FollowUps;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    const { clock, delivery } = runtime;
    this.followUps = new FollowUps(clock, delivery, (error) => runtime.failed(error));
  }

  close(): void {
    this.followUps.close();
  }
}
