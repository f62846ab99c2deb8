import type { EndpointServices } from '../endpoint-services.js';
import { Fairness } from './fairness.js';
import { FollowUps } from './follow-ups.js';
import type { LockHold } from './hold.js';
import { Scopes } from './scopes.js';
import type { WaitQueue } from './wait-queue.js';

/** Shared by all clients: each AsyncLocalStorage makes every promise of the process slower, and
 * would stay after its client. */
const scopes = new Scopes<LockHold>();

/** The state that all locks of one client share. */
export class LockServices {
  readonly services: EndpointServices;
  readonly scopes: Scopes<LockHold> = scopes;
  /** The queues of local waiters, by lock id. */
  readonly queues: Map<string, WaitQueue> = new Map();
  readonly followUps: FollowUps;
  readonly fairness: Fairness;

  constructor(services: EndpointServices) {
    this.services = services;
    const { clock, delivery, hub } = services;
    this.fairness = new Fairness(hub, clock);
    this.followUps = new FollowUps(clock, delivery, (error) => services.client.failed(error));
  }

  close(): void {
    this.followUps.close();
    this.fairness.close();
  }
}
