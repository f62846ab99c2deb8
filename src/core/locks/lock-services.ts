import type { EndpointServices } from '../endpoint-services.js';
import { Fairness } from './fairness.js';
import { HandOffs } from './hand-offs.js';
import { handsOff } from './line.js';
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
  readonly handOffs: HandOffs;

  constructor(services: EndpointServices) {
    this.services = services;
    const { clock, delivery, hub } = services;
    this.fairness = new Fairness(hub, clock);
    this.followUps = new FollowUps(clock, delivery, (error) => services.client.failed(error));
    this.handOffs = new HandOffs(services);
    services.onConnection = () => this.handOffs.doubt((ticket) => ticket.reconnected());
    services.onMessagesLost = () => this.handOffs.doubt((ticket) => ticket.missed());
  }

  /** Whether a release gives a lock to the next waiter, or frees it for whoever asks first. */
  get handsOff(): boolean {
    return handsOff(this.services) && !this.handOffs.isBlind;
  }

  /** Whether this client keeps a lock for its own waiters for a while. */
  get passesOn(): boolean {
    return this.services.client.settings.handOff === 'direct';
  }

  close(): void {
    this.handOffs.close();
    this.followUps.close();
    this.fairness.close();
  }
}
