import { ChurnMap } from '../core/base/churn-map.js';
import type { Clock, Timer } from '../core/base/clock.js';
import { lastAll } from '../core/lease/lease-parts.js';
import type { Claim } from './claim.js';
import type { Member } from './member.js';

/** The claims of a client. Once a period each that is held asks for its votes on servers that do not have it. */
export class Claims {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #periodMs: number;
  /** Whether each is held; servers are being asked for the others. */
  readonly #all = new ChurnMap<Claim, boolean>();
  /** How many of those that are held have a lock, by its id. */
  readonly #counts = new ChurnMap<string, number>();
  #timer: Timer | undefined;

  constructor(clock: Pick<Clock, 'after'>, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** Servers are about to be asked for it. */
  begin(claim: Claim): void {
    this.#all.set(claim, false);
  }

  /** They are asked no more. */
  ended(claim: Claim): void {
    if (this.#all.get(claim) === false) {
      this.#all.delete(claim);
    }
  }

  /** It is held from now on. */
  add(claim: Claim): void {
    // One that is passed on is held already.
    if (this.#all.get(claim) !== true) {
      this.#all.set(claim, true);
      this.#count(claim, 1);
    }
    this.#timer ??= this.#schedule();
  }

  delete(claim: Claim): void {
    if (this.#all.get(claim) === true) {
      this.#all.delete(claim);
      this.#count(claim, -1);
    }
  }

  #count({ names }: Claim, difference: number): void {
    for (const { lockId } of names) {
      const count = (this.#counts.get(lockId) ?? 0) + difference;
      if (count === 0) {
        this.#counts.delete(lockId);
      } else {
        this.#counts.set(lockId, count);
      }
    }
  }

  /** One that is held has the lock. */
  has(lockId: string): boolean {
    return this.#counts.has(lockId);
  }

  /** A majority has granted these names anew. A hold that another claim has on one of them is thus lost, even if
   * nothing has reported it yet: no two holds of a lock are ever both `held` in one client. */
  endOthers(granted: Claim): void {
    const taken = granted.names.filter(({ lockId }) => this.#counts.has(lockId));
    if (taken.length > 0) {
      const isTaken = (claim: Claim): boolean =>
        claim.names.some((name) => taken.some(({ lockId }) => lockId === name.lockId));
      for (const claim of this.held.filter(isTaken)) {
        claim.endAs('taken');
      }
    }
  }

  get held(): readonly Claim[] {
    return [...this.#all].flatMap(([claim, isHeld]) => (isHeld ? claim : []));
  }

  /** A member was restarted. */
  forget(member: Member): void {
    for (const [claim] of this.#all) {
      claim.forget(member);
    }
  }

  /** Asks for the votes of this server, or of all. */
  restore(member?: Member): void {
    for (const claim of this.held) {
      claim.restore(member);
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#all.clear();
  }

  #schedule(): Timer {
    return this.#clock.after(this.#periodMs, () => {
      this.#timer = this.#counts.size === 0 ? undefined : this.#schedule();
      for (const { holds } of this.held) {
        lastAll(holds);
      }
      this.restore();
    });
  }
}
