import { least } from '../base/least.js';
import type { LeaseHolder } from './lease-parts.js';

/** Those who live on one lease: its holds, and the re-entries under way, which the server may count already. */
export abstract class LeaseHolders {
  holders: LeaseHolder[] = [];
  /** The largest number of holds that the server may know of, late copies left aside. */
  peak = 1;
  /** The largest number of holds that was ever stated to the server. */
  most = 1;
  /** The lease of its holder on the other side of the lock: that of a writer's read holds. */
  abstract companion: LeaseHolders | undefined;
  /** For a companion: the lease of the write hold beside it. */
  abstract main: LeaseHolders | undefined;
  /** The instant by which it ends, by our clock, whatever the server keeps: the earliest bound of its holder. */
  abstract endsBy: number;

  /** The number of holds that the server has to count for this holder. */
  get alive(): number {
    return this.holders.length;
  }

  /** Adds a hold, or a re-entry under way. */
  add(holder: LeaseHolder): void {
    this.holders.push(holder);
    this.peak = Math.max(this.peak, this.alive);
    this.most = Math.max(this.most, this.alive);
  }

  /** Removes a hold; the others keep the lease. */
  remove(holder: LeaseHolder): void {
    const at = this.holders.indexOf(holder);
    if (at >= 0) {
      this.holders.splice(at, 1);
    }
    if (holder.endsBy !== undefined) {
      this.#rebound();
    }
  }

  /** One of its holds, which was granted at `grantedAt`, is bounded to `maxHoldMs`, if that is given. */
  bind(holder: LeaseHolder, maxHoldMs: number | undefined, grantedAt: number): void {
    if (maxHoldMs !== undefined) {
      holder.endsBy = grantedAt + maxHoldMs;
      this.#rebound();
    }
  }

  /** The earliest bound of all holds counts, for both sides of the lock. */
  #rebound(): void {
    const all = [this.main, this, this.companion].filter((side) => side !== undefined);
    // One without holds is over.
    const sides = all.filter(({ alive }) => alive > 0);
    const bounds = sides.flatMap(({ holders }) => holders.map(({ endsBy = Infinity }) => endsBy));
    const endsBy = least(bounds);
    for (const side of sides) {
      side.endsBy = endsBy;
    }
  }
}
