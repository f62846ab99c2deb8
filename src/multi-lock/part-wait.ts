import { contention, startAcquisition } from '../core/locks/acquisition.js';
import type { LockHold } from '../core/locks/hold.js';
import { Reentry } from '../core/locks/reentry.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';
import type { Asker, Part } from './ask.js';
import type { PartHold } from './part.js';

/** The wait of a multi-lock for one of its locks, as one of the waiters for that. */
export class PartWait {
  readonly #asker: Asker;
  readonly #part: Part;
  readonly #limit: WaitLimit;

  /** Throws where the time is up, or it does not wait. */
  constructor(asker: Asker, part: Part) {
    const { waits, waitLimit } = asker.terms;
    if (!waits) {
      throw contention(
        part.grants.protocol.resource,
        asker.busy.waitedMs,
        part.around?.isHeld === true,
      );
    }
    if (waitLimit.ending !== undefined) {
      throw asker.busy.errorOf(waitLimit.ending, undefined);
    }
    this.#asker = asker;
    this.#part = part;
    const { client } = asker.lock.locks.services;
    this.#limit = client.waitLimit({ stepOf: waitLimit });
  }

  /** It stands in the queue of the lock when this returns a promise. */
  async run(): Promise<PartHold> {
    const { lock, parts: acquired } = this.#asker;
    const part = this.#part;
    const { grants, around, entered } = part;
    const { leaseMs } = lock.locks.services.client.settings;
    const waitLimit = this.#limit;
    // The acquisition leaves the name, or what it is granted.
    part.isEntered = false;
    part.entered = undefined;
    const own = {
      leaseMs,
      renewed: true,
      maxHoldMs: undefined,
      isOfBounded: this.#asker.terms.maxHoldMs !== undefined,
      replicas: undefined,
      within: null,
      maxWaiters: undefined,
      acquired,
    };
    const waiting = startAcquisition(grants, { ...own, waits: true, waitLimit, around, entered });
    if (entered !== undefined) {
      lock.locks.handOffs.replay(entered.holderId);
    }
    return await waiting;
  }

  end(ending: Ending): void {
    this.#limit.end(ending);
  }
}

/** Re-enters a lock; undefined when the hold that it would re-enter through was released meanwhile. */
export async function reenter(
  { terms }: Asker,
  { grants, within }: Part,
  outer: LockHold,
): Promise<PartHold | undefined> {
  if (outer.state === 'released') {
    return undefined;
  }
  outer.assertNotOver();
  // The bound of the whole counts from its last part on.
  const own = { ...terms, maxHoldMs: undefined, within, around: undefined };
  return await new Reentry(grants, own, outer).run();
}
