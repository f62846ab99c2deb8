import { ChurnMap } from '../base/churn-map.js';
import type { EndpointServices } from '../endpoint-services.js';
import { HandOffs } from './hand-offs.js';
import { HeardOthers } from './heard-others.js';
import type { LockHold } from './hold.js';
import { Scopes } from './scopes.js';
import type { WaitQueue } from './wait-queue.js';
import { StrayReentries } from '../observe/warnings.js';

/** Shared by all clients: each AsyncLocalStorage makes every promise of the process slower, and
 * would stay after its client. */
const scopes = new Scopes<LockHold>();

/** The state that all locks of one client share. */
export class LockServices {
  readonly services: EndpointServices;
  readonly scopes: Scopes<LockHold> = scopes;
  /** The queues of local waiters, by lock id. */
  readonly queues: ChurnMap<string, WaitQueue> = new ChurnMap();
  readonly handOffs: HandOffs;
  readonly others: HeardOthers;
  readonly strays: StrayReentries = new StrayReentries();

  constructor(services: EndpointServices) {
    this.services = services;
    this.handOffs = new HandOffs(services, (holderId, key) => this.others.heard(holderId, key));
    this.others = new HeardOthers(services, this.handOffs.channels);
    services.onConnection = () => this.handOffs.doubt((ticket) => ticket.reconnected());
    services.onMessagesLost = () => this.handOffs.doubt((ticket) => ticket.missed());
  }

  /** Whether this client keeps a lock for its own waiters for a while. */
  get passesOn(): boolean {
    return this.services.client.settings.handOff === 'direct';
  }

  close(): void {
    this.handOffs.close();
  }
}
