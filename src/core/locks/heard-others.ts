import type { EndpointServices } from '../endpoint-services.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseHolder } from '../lease/lease-parts.js';
import type { GrantChannels } from './grant-channels.js';
import { isDirect } from './line.js';

/** So many messages are kept that came before the answer about their grant. */
const EARLY_MAX = 100;

/** A lock, as far as this is about it. */
export interface Contended {
  readonly key: string;
  readonly isShared: boolean;
}

/** The messages that another client waits for what this one holds, and who wants to hear of them. */
export class HeardOthers {
  readonly #services: EndpointServices;
  readonly #channels: Pick<GrantChannels, 'listen' | 'leave'>;
  readonly #contended = new Set<Lease>();
  /** Leases on whose holds somebody listens, by key. */
  readonly #watched = new Map<string, Set<Lease>>();
  /** Keys by holder ids of which nothing is held yet, or any more. */
  readonly #early = new Map<string, readonly string[]>();

  constructor(services: EndpointServices, channels: Pick<GrantChannels, 'listen' | 'leave'>) {
    this.#services = services;
    this.#channels = channels;
  }

  /** Another client waits for the lock that this holder has. */
  heard(holderId: string, key: string): void {
    const lease = this.#services.watchdog.exclusive(key, holderId);
    if (lease === undefined) {
      this.#keep(holderId, key);
    } else if (!this.#contended.has(lease)) {
      this.#tell(lease);
    }
  }

  /** A holder has begun, or the next one on the same lease. */
  began(lease: Lease, lock: Contended): void {
    if (this.#services.client.events.wanted('contended')) {
      this.watch(lease, lock);
    }
    if (this.#contended.has(lease) || this.#isEarly(lease)) {
      this.#tell(lease);
    }
  }

  /** A holder has one more hold, which learns what the others have heard. */
  joined(hold: LeaseHolder, lease: Lease): void {
    if (this.#contended.has(lease)) {
      hold.contended?.(false);
    }
  }

  /** Somebody wants to hear when another client waits for what is held by this lease: returns whether one is
   * known to wait. Nobody is told of readers, nor where messages cannot come of the same server. */
  watch(lease: Lease, { key, isShared }: Contended): boolean {
    if (!isShared && lease.active && isDirect(this.#services.router)) {
      const watched = this.#watched.get(key);
      if (watched === undefined) {
        this.#watched.set(key, new Set([lease]));
      } else {
        watched.add(lease);
      }
      this.#channels.listen(key);
    }
    return this.#contended.has(lease);
  }

  /** No waiter of this client needs to be told of a lock any more. */
  waitNoMore(key: string): void {
    if (!this.#watched.has(key)) {
      this.#channels.leave(key);
    }
  }

  /** A lease has ended. `isWaitedFor`: a waiter of this client has to be told of its lock. */
  over(lease: Lease, isWaitedFor: boolean): void {
    this.#contended.delete(lease);
    const { key } = lease.identity;
    const watched = this.#watched.get(key);
    if (watched?.delete(lease) === true && watched.size === 0) {
      this.#watched.delete(key);
      if (!isWaitedFor) {
        this.#channels.leave(key);
      }
    }
  }

  /** One of its holds reports it for all. */
  #tell(lease: Lease): void {
    this.#contended.add(lease);
    let isFirst = true;
    for (const holder of lease.holders) {
      if (holder.contended !== undefined) {
        holder.contended(isFirst);
        isFirst = false;
      }
    }
  }

  #isEarly({ identity: { holderId, key } }: Lease): boolean {
    return this.#early.size > 0 && this.#early.get(holderId)?.includes(key) === true;
  }

  #keep(holderId: string, key: string): void {
    this.#early.set(holderId, [...(this.#early.get(holderId) ?? []), key]);
    if (this.#early.size > EARLY_MAX) {
      const [oldest = ''] = this.#early.keys();
      this.#early.delete(oldest);
    }
  }
}
