import type { Server } from '../server/server.js';
import type { WallClock } from '../wall-clock.js';
import type { Actor } from '../timeline.js';

/** A connection, as its server's machine sees it. */
export interface HostLink {
  /** The server has died: nothing that was sent is run any more. */
  hostDied(isTold: boolean): void;
}

/** The machine of a server: it may be slow, stand still, or be down for a while. */
export class Host implements Actor {
  readonly address: string;
  readonly server: Server;
  readonly clock: WallClock;
  stalledUntil = 0;
  readonly isDead: boolean = false;
  isUp = true;
  /** Of several outages the longest counts. */
  downUntil = 0;
  /** So many commands are carried out in a second; 0: each at once. */
  perSecond = 0;
  #busyUntil = 0;
  readonly links: Set<HostLink> = new Set<HostLink>();

  constructor(address: string, server: Server, clock: WallClock) {
    this.address = address;
    this.server = server;
    this.clock = clock;
  }

  /** When it has carried out a command that arrives now. */
  carriesOutAt(now: number): number {
    const takesMs = this.perSecond === 0 ? 0 : 1_000 / this.perSecond;
    this.#busyUntil = Math.max(now, this.#busyUntil) + takesMs;
    return this.#busyUntil;
  }

  /** It answers nothing before `until`; what arrives is kept. */
  stall(until: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, until);
  }
}
