import { orNull } from '../acquisition.js';
import {
  checkLease,
  checkMaxWaiters,
  checkWaiting,
  type AcquireOptions,
} from '../base/arguments.js';
import { checkOptions, type OptionSet } from '../base/options.js';
import { optionsOf, releasedAfter, taskOf, type Task } from '../base/using-arguments.js';
import { GrantFace } from '../grant/grant-face.js';
import type { LeasedTerms } from '../leased-acquisition.js';
import { checkReplicas } from '../replicas/check-replicas.js';
import type { EndpointServices } from '../endpoint-services.js';
import { Face } from '../face.js';
import type { ObjectProtocol } from '../object-protocol.js';
import type { Hold } from './hold.js';

/**
 * Options of one acquisition of a lock.
 *
 * @example
 * ```ts
 * const outer = await lock.acquire({ waitMs: 5_000 });
 * const inner = await lock.acquire({ within: outer }); // re-enters at once
 * await inner.release();
 * await outer.release();
 * ```
 */
export interface LockAcquireOptions extends AcquireOptions {
  /** Re-enter through this hold, also outside its async scope. null: never re-enter, whatever the
   * scope. By default through the hold whose scope this is, unless `reentry` of the client is
   * `'explicit'`. */
  within?: Hold | null | undefined;
}

const OPTIONS: OptionSet = {
  of: 'an acquisition of a lock',
  known: ['waitMs', 'leaseMs', 'maxHoldMs', 'signal', 'replicas', 'within', 'maxWaiters'],
  elsewhere: { permits: 'a lock has no permits, a semaphore has' },
};

/** The checked options of an acquisition, but for what it re-enters through. */
export type LockTerms = LeasedTerms;

/** The common part of all that is acquired as a lock is. */
export abstract class Locking<
  H extends Hold,
  P extends ObjectProtocol<EndpointServices>,
> extends Face<P> {
  acquire(options?: LockAcquireOptions): Promise<H> {
    return this.begin(options, true);
  }

  tryAcquire(options?: LockAcquireOptions): Promise<H | null> {
    return orNull(this.begin(options, false));
  }

  using<T>(options: LockAcquireOptions | undefined, task: Task<H, T>): Promise<T>;
  using<T>(task: Task<H, T>, options?: LockAcquireOptions): Promise<T>;
  async using<T>(
    first: Task<H, T> | LockAcquireOptions | undefined,
    second?: Task<H, T> | LockAcquireOptions,
  ): Promise<T> {
    const task = taskOf(first, second);
    const hold = await this.begin(optionsOf(first, second), true);
    // A task that waits for ever, on nothing that ends, may be collected with this call: the hold is not lost then.
    GrantFace.keep(hold);
    return await releasedAfter(hold, () => hold.run(() => task(hold)));
  }

  /** Checks the arguments and starts. `waiting`: without `waitMs` it waits for as long as the client says. */
  protected abstract begin(given: unknown, waiting: boolean): Promise<H>;

  /** Checks the arguments of an acquisition, and starts it; `within` checks the one of that name. */
  protected checked<W>(
    given: unknown,
    waiting: boolean,
    within: (options: object) => W,
    start: (terms: LockTerms, within: W) => Promise<H>,
  ): Promise<H> {
    try {
      const { client } = this.services;
      const { settings } = client;
      const options = checkOptions('options', given, OPTIONS);
      const { waitMs, signal } = checkWaiting(options, waiting ? settings.waitMs : 0);
      const { leaseMs, renewed, maxHoldMs } = checkLease(options, settings.leaseMs);
      const replicas = checkReplicas(options, settings.replicas);
      const maxWaiters = checkMaxWaiters(options, settings.maxWaiters);
      const named = within(options);
      client.assertOpen(this.name);
      signal?.throwIfAborted();
      // A single attempt has the limit of a command.
      const waits = waitMs !== 0;
      const limitMs = waits ? waitMs : settings.commandTimeoutMs;
      const waitLimit = client.waitLimit({ limitMs, signal, rejects: waiting });
      return start({ leaseMs, renewed, maxHoldMs, replicas, waits, waitLimit, maxWaiters }, named);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
