import { orNull } from '../core/acquisition.js';
import type { Command } from '../core/wire/call.js';
import { Face } from '../core/face.js';
import { enterAndStart } from '../core/names.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  checkInteger,
  checkMaxWaiters,
  checkWaiting,
  INT32_MAX,
  type WaitOptions,
} from '../core/base/arguments.js';
import { checkLife } from '../core/base/life.js';
import { checkOptions, type OptionSet } from '../core/base/options.js';
import { optionsOf, releasedAfter, taskOf } from '../core/base/using-arguments.js';
import { PermitsAcquisition, type PermitsTerms } from './acquisition.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { viewPermits } from '../core/permits/permits-view.js';
import { outOfRange, SemaphoreGrants, type SemaphoreState } from './grants.js';
import { ACQUIRING, NO_LEASE, USING } from './options.js';
import type { Permits } from './permits.js';
import type { SemaphoreView } from './answers.js';
import { SemaphoreProtocol } from './protocol.js';

const INT32_MIN = -2_147_483_648;

/**
 * A number of permits that many processes acquire and give back. After Redisson's RSemaphore, with
 * which it shares its key and messages.
 *
 * Permits have no owner: those of a process that dies are not returned. Where that matters, use a
 * permit-expirable semaphore. Every call that changes the count runs at most once, whatever the
 * network does. The count stays within 32 bits, and an expiry that was set stays.
 *
 * @example
 * ```ts
 * const uploads: Semaphore = client.getSemaphore('uploads');
 * await uploads.trySetPermits(3); // does nothing when they are set
 * const result = await uploads.using(() => 'uploaded', { waitMs: 5_000 });
 * ```
 */
export interface Semaphore {
  /** The name that the semaphore was made with. */
  readonly name: string;
  /**
   * Sets the number of permits, unless one is set.
   * @param permits - 0 to 2147483647.
   * @param options - `ttlMs`, 1 to 2147483647: life of the semaphore. By default it has no limit.
   * @returns false when one is set already.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  /**
   * Adds `delta` permits; a negative one removes permits, below zero too: nobody gets in then until
   * as many were given back.
   * @param delta - -2147483648 to 2147483647.
   * @throws RangeError when the sum would leave these bounds; nothing is changed.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  addPermits(delta: number): Promise<void>;
  /**
   * Takes all permits that are left.
   * @returns the number taken; 0 when it was zero or negative.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  drainPermits(): Promise<number>;
  /** Permits that are left: negative after a shrink, 0 when none were ever set. */
  availablePermits(): Promise<number>;
  /**
   * Waits until it has `permits` permits, all at once.
   *
   * Fairness: first come first served inside one client; a request at the head holds up those
   * behind it however small they are. Between clients the first that asks is served, so that a
   * small request may pass a big one. When a client's head was passed over for 5 s, the other
   * Node clients ask for nothing until it is served, gives up, or its process dies. So a request
   * for more permits than there will ever be holds up all others: give it a `waitMs`.
   *
   * Cancellation: an aborted or timed-out call leaves nothing behind; permits that it was granted
   * meanwhile are given back.
   *
   * Failure: without a `waitMs`, its own or the client's, the call goes on through outages until it is granted.
   * @param permits - 1 to 2147483647, default 1.
   * @throws AcquireTimeoutError when `waitMs` ran out and there were not enough permits.
   * @throws TooManyWaitersError when `maxWaiters` of this client wait for it already.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   * @throws WrongTypeError when the name is in use by another kind of object; ClosedError.
   */
  acquire(permits?: number, options?: WaitOptions): Promise<Permits>;
  /**
   * Like `acquire`, but answers null when there are not enough permits, or a waiter of this client
   * is before it. Without `waitMs` it asks once and settles within `commandTimeoutMs`.
   */
  tryAcquire(permits?: number, options?: WaitOptions): Promise<Permits | null>;
  /**
   * Gives permits back without proof that they were acquired: they go to the semaphore that exists
   * now. If there is none, an object that was given its number makes it with that number, and any other
   * object, or any object after `delete()`, makes one of these permits. To give back those of an acquisition, `Permits.release()`
   * is better: it goes on in the background when no answer comes in time, and gives nothing to a
   * semaphore that was set anew since.
   * @param permits - 1 to 2147483647, default 1.
   * @throws RangeError when there would be more than 2147483647; nothing is changed.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  release(permits?: number): Promise<void>;
  /** The same with the options first, as in Web Locks. */
  using<T>(
    options:
      | (WaitOptions & {
          /** 1 to 2147483647, default 1. */
          permits?: number | undefined;
        })
      | undefined,
    task: () => T | Promise<T>,
  ): Promise<T>;
  /**
   * Acquires `permits` (default 1) as `acquire` does, runs `task`, and gives them back.
   *
   * Failure: the task's own error always wins.
   */
  using<T>(
    task: () => T | Promise<T>,
    options?: WaitOptions & {
      /** 1 to 2147483647, default 1. */
      permits?: number | undefined;
    },
  ): Promise<T>;
  /** Removes the semaphore; its waiters wait until permits are set again. True if there was one. */
  delete(): Promise<boolean>;
}

type UsingOptions = WaitOptions & { permits?: number | undefined };

/** The face of one semaphore. */
export class SemaphoreFace extends Face<SemaphoreProtocol> implements Semaphore {
  readonly #grants: SemaphoreGrants;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    state: SemaphoreState,
    setting?: CheckedSetting,
  ) {
    super(services, new SemaphoreProtocol(services, name, key, state.statements, setting));
    this.#grants = new SemaphoreGrants(services, this.protocol, state);
  }

  protected override get label(): string {
    return 'Semaphore';
  }

  async trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean> {
    checkInteger('permits', permits, 0, INT32_MAX);
    const life = checkLife('trySetPermits', options, NO_LEASE);
    const { protocol } = this;
    const set = async (): Promise<boolean> =>
      (await this.#count((request) => protocol.trySetPermits(request, permits, life))) === 1;
    const isSet = await (protocol.number?.overruling(permits, set) ?? set());
    this.#grants.numberSet(isSet ? permits : 0);
    return isSet;
  }

  async addPermits(delta: number): Promise<void> {
    checkInteger('delta', delta, INT32_MIN, INT32_MAX);
    const { clock, delivery } = this.services;
    const startedAt = clock.now();
    const add = async (): Promise<number> => {
      this.#grants.declare();
      const { answer } = await delivery.sendOnce(
        this.name,
        this.protocol.key,
        (request) => this.protocol.addPermits(request, delta),
        { setTombstone: (request) => this.protocol.settle(request), always: false },
      );
      const { isRefused, isAbsent, available } = answer;
      if (isAbsent === true) {
        await this.protocol.number?.again();
        return await delivery.since(startedAt, add);
      }
      if (isRefused) {
        const range = [INT32_MIN - Math.min(available, 0), INT32_MAX - Math.max(available, 0)];
        throw outOfRange('delta', [range[0] ?? 0, range[1] ?? 0], delta, available);
      }
      this.protocol.number?.added(delta);
      return available;
    };
    this.#grants.numberSet(await this.inUse(add));
  }

  async drainPermits(): Promise<number> {
    const { clock, delivery } = this.services;
    const startedAt = clock.now();
    const drain = async (): Promise<number> => {
      this.#grants.declare();
      const { count } = await this.countOnce((request) => this.protocol.drainPermits(request));
      if (count < 0) {
        await this.protocol.number?.again();
        return await delivery.since(startedAt, drain);
      }
      return count;
    };
    return await this.inUse(drain);
  }

  async availablePermits(): Promise<number> {
    const { available } = await this.inUse(() => this.#view());
    return available;
  }

  acquire(permits?: number, options?: WaitOptions): Promise<Permits> {
    return this.#acquire(permits, options, ACQUIRING, true);
  }

  tryAcquire(permits?: number, options?: WaitOptions): Promise<Permits | null> {
    return orNull(this.#acquire(permits, options, ACQUIRING, false));
  }

  async release(permits = 1): Promise<void> {
    checkInteger('permits', permits, 1, INT32_MAX);
    await this.inUse(() => {
      this.#grants.declare();
      return this.#grants.giveBack({ permits, mark: undefined, place: 0 });
    });
  }

  using<T>(options: UsingOptions | undefined, task: () => T | Promise<T>): Promise<T>;
  using<T>(task: () => T | Promise<T>, options?: UsingOptions): Promise<T>;
  async using<T>(
    first: (() => T | Promise<T>) | UsingOptions | undefined,
    second?: (() => T | Promise<T>) | UsingOptions,
  ): Promise<T> {
    const task = taskOf<void, T>(first, second);
    const options = checkOptions('options', optionsOf(first, second), USING);
    const { permits } = options as { permits?: number };
    const granted = await this.#acquire(permits, options, USING, true);
    return await releasedAfter(granted, task);
  }

  async delete(): Promise<boolean> {
    return (await this.#count((request) => this.protocol.delete(request))) === 1;
  }

  #view(): Promise<SemaphoreView> {
    return viewPermits(this.services.delivery, this.protocol);
  }

  #acquire(
    permits: number | undefined,
    given: unknown,
    known: OptionSet,
    waiting: boolean,
  ): Promise<Permits> {
    try {
      const count = permits === undefined ? 1 : checkInteger('permits', permits, 1, INT32_MAX);
      const { client } = this.services;
      const { settings } = client;
      const options = checkOptions('options', given, known);
      const { waitMs, signal } = checkWaiting(options, waiting ? settings.waitMs : 0);
      const maxWaiters = checkMaxWaiters(options, settings.maxWaiters);
      client.assertOpen(this.name);
      signal?.throwIfAborted();
      // A single attempt lasts as long as a command.
      const waits = waitMs !== 0;
      const limitMs = waits ? waitMs : settings.commandTimeoutMs;
      const waitLimit = client.waitLimit({ limitMs, signal, rejects: waiting });
      const terms = { count, waits, waitLimit, maxWaiters };
      return enterAndStart(this.#grants, terms, start);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Makes a counted call. */
  async #count(build: (request: Request) => Command<string>): Promise<number> {
    const { count } = await this.inUse(() => this.countOnce(build));
    return count;
  }
}

function start(grants: SemaphoreGrants, terms: PermitsTerms): Promise<Permits> {
  return new Promise((resolve) => {
    new PermitsAcquisition(grants, terms, resolve).start();
  });
}
