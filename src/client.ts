import type { ClientEvents } from './core/observe/events.js';
import { Grant } from './core/grant/grant.js';
import type { FencedHold, Hold } from './core/locks/hold.js';
import type { Lock } from './core/locks/lock-face.js';
import type { DriverInstance } from './core/connection/driver-types.js';
import { createRouter } from './core/connection/create-router.js';
import { systemEnvironment, type Environment } from './core/connection/environment.js';
import { ClientFace } from './core/client-face.js';
import { ClientServices } from './core/client-services.js';
import { EndpointServices } from './core/endpoint-services.js';
import type { PermitsSetting } from './core/permits/permits-setting.js';
import {
  readClientOptions,
  refuseOptions,
  type CheckedOptions,
  type ClientOptions,
} from './client-options.js';
import type { PermitExpirableSemaphore } from './expirable-semaphore/contract.js';
import type { Permit } from './expirable-semaphore/permit.js';
import type { CountDownLatch } from './latch/latch.js';
import type { MultiLock } from './multi-lock/multi-lock.js';
import type { ReadWriteLock } from './rwlock/rwlock.js';
import type { Semaphore } from './semaphore/semaphore.js';
import type { FencedLock } from './lock/lock.js';
import { guaranteesOf, type Guarantees } from './guarantees/guarantees.js';
import { Objects } from './objects.js';

/**
 * Makes coordination objects and owns their connections, leases and waits.
 *
 * @example
 * ```ts
 * await using client = createClient();
 * client.on('error', ({ error }) => console.error(error));
 * await client.getLock('invoice:42').using(async (hold) => {
 *   await work(hold.signal);
 * });
 * ```
 */
export interface Client extends AsyncDisposable {
  /** UUID v4, fresh per client. */
  readonly id: string;
  /** A reentrant lock. Throws a TypeError or RangeError on a bad name. */
  getLock(name: string): Lock;
  /**
   * A reentrant lock that is first come first served over all clients, Java included.
   *
   * Fairness: calls of `acquire`, and of `tryAcquire` with `waitMs`, are served in the order in
   * which they reached the server; an attempt without waiting is granted only while nobody waits.
   * A client without a heartbeat for 4 s is passed over; with its next heartbeat its waiters
   * return to the front. A process killed while waiting delays nobody; a frozen one that is given the
   * lock delays the others by a third of its lease, at least 4 s, or by all of a fixed lease.
   *
   * Cancellation: a wait that ends gives up its position at once; a later one starts at the end.
   *
   * Failure: while there is no subscription, this client polls every 250 ms, for its first waiter.
   */
  getFairLock(name: string): Lock;
  /** A reentrant lock whose holds carry a fencing token. */
  getFencedLock(name: string): FencedLock;
  /**
   * Several names that are locked together, all or none; `fenced`: by fenced locks.
   * @param names - 1 to 100 different names, in any order.
   * @throws TypeError for a name twice (`y` and `{y}` are one), RangeError for none or too many.
   */
  getMultiLock(names: readonly string[], options?: { fenced?: boolean | undefined }): MultiLock;
  /** Many readers or one writer. */
  getReadWriteLock(name: string): ReadWriteLock;
  /**
   * A semaphore whose permits live on leases, so that a crash frees what it held.
   *
   * `options.permits`, 0 to 2147483647, is its number of permits. The first call that this client
   * makes of the name sets it, in the same command, when there is none. So does the next call after a
   * flush, the end of a `ttlMs` or a deletion by Java. What `delete()` has removed stays so for a day,
   * but for a client that is given the number for the first time. When the server has another number,
   * that stays and `configured` is emitted; see PermitsSetting for what can be done instead. A
   * `trySetPermits` or `setPermits` that is called first wins over it, and `delete` sets nothing. The
   * number given last counts for all objects of the name, and is compared with the next call. Each
   * number, of the last eight of a name, is compared once for each semaphore. A client remembers this
   * of the last 10,000 names for which it was given a number.
   */
  getPermitExpirableSemaphore(
    name: string,
    options?: { permits?: number | PermitsSetting | undefined },
  ): PermitExpirableSemaphore;
  /**
   * A counting semaphore: permits without an owner.
   *
   * `options.permits` is as for a permit-expirable semaphore, with `onMismatch` `keep` only
   * (RangeError otherwise). The server stores only the permits that are left. The number itself is
   * what was set, changed by what `addPermits` added, and is kept beside. Where Java has set it,
   * nothing is kept, and what is left is compared. A first call that is aborted or runs out of time
   * counts as none, even if Redis has run it: the next call makes a semaphore again that was deleted
   * in between.
   */
  getSemaphore(
    name: string,
    options?: { permits?: number | PermitsSetting | undefined },
  ): Semaphore;
  /** A count-down latch. */
  getCountDownLatch(name: string): CountDownLatch;
  /** Adds a listener; see ClientEvents. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Adds a listener for the next event only. */
  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Removes a listener. */
  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /**
   * Reports what the servers of this client give, as they report it: how they work together, what survives a
   * restart, and for each fault whether two owners may see the same as held. What this user may not read
   * is null, or `unknown`. Ends within `commandTimeoutMs`. The client listens to its own channel from then on.
   * @throws CommandTimeoutError where a master cannot be reached.
   */
  guarantees(): Promise<Guarantees>;
  /**
   * Takes over what another client has detached: under the same fencing token, and under a holder id or permit id of
   * this client. The old id is burnt: a second adoption finds nothing. The deadline counts from when this is sent. It
   * waits for no `replicas`.
   *
   * Failure: it settles within `commandTimeoutMs`. One that is given up is taken back, in the background where need
   * be: the string can be adopted again.
   * @param detached - what `detach()` of a hold or permit gave, by a client with the same `keyPrefix`.
   * @param options - `leaseMs`, 1 to 2147483647: a fixed lease in milliseconds, that is not renewed; a longer one is
   * not shortened. By default the client's `leaseMs`, renewed.
   * @throws TypeError for a string that is not one of ours, or of another `keyPrefix`.
   * @throws NotHeldError when the server does not have it any more, or it was adopted before.
   * @throws CommandTimeoutError when Redis has not answered; WrongTypeError when the name is in use by another kind of
   * object; ClosedError.
   */
  adopt(
    detached: string,
    options?: { leaseMs?: number | undefined },
  ): Promise<Hold | FencedHold | Permit>;
  /**
   * Stops granting, ends every wait with ClosedError, sets every `isHeld` false, then releases
   * every hold and leased permit and closes what it opened, within `timeoutMs` (0 to 2147483647,
   * default 5000). What could not be released by then frees itself with its lease. Permits of
   * counting semaphores have no owner and are not returned. Rejects for bad options only; idempotent.
   */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>;
}

class RedlatchClient extends ClientFace implements Client {
  readonly #services: EndpointServices;
  readonly #objects: Objects;

  constructor({ endpoint, keyPrefix, settings }: CheckedOptions, environment: Environment) {
    const { clock, random } = environment;
    const client = new ClientServices(random.uuid(), settings, clock, random);
    super(client);
    this.#services = new EndpointServices(client, (owner) =>
      createRouter(endpoint, settings, environment, owner),
    );
    this.#objects = new Objects(this.#services, keyPrefix);
  }

  protected override get label(): string {
    return 'Client';
  }

  override toJSON(): object {
    const state = this.stateName;
    let holds = 0;
    for (const { alive } of this.#services.watchdog.leases) {
      holds += alive;
    }
    return { id: this.id, state, holds };
  }

  getLock(name: string, extra?: unknown): Lock {
    refuseOptions('getLock', extra);
    return this.#objects.lock.get(name);
  }

  getFairLock(name: string, extra?: unknown): Lock {
    refuseOptions('getFairLock', extra);
    return this.#objects.fairLock.get(name);
  }

  getFencedLock(name: string, extra?: unknown): FencedLock {
    refuseOptions('getFencedLock', extra);
    return this.#objects.fencedLock.get(name);
  }

  getMultiLock(names: readonly string[], options?: { fenced?: boolean | undefined }): MultiLock {
    return this.#objects.multiLock(names, options);
  }

  getReadWriteLock(name: string, extra?: unknown): ReadWriteLock {
    refuseOptions('getReadWriteLock', extra);
    return this.#objects.readWriteLock.get(name);
  }

  getPermitExpirableSemaphore(
    name: string,
    options?: { permits?: number | PermitsSetting | undefined },
  ): PermitExpirableSemaphore {
    return this.#objects.permitExpirableSemaphore(name, options);
  }

  getSemaphore(
    name: string,
    options?: { permits?: number | PermitsSetting | undefined },
  ): Semaphore {
    return this.#objects.semaphore(name, options);
  }

  getCountDownLatch(name: string, extra?: unknown): CountDownLatch {
    refuseOptions('getCountDownLatch', extra);
    return this.#objects.latch.get(name);
  }

  async adopt(
    detached: string,
    options?: { leaseMs?: number | undefined },
  ): Promise<Hold | FencedHold | Permit> {
    return await this.#objects.adopt(detached, options);
  }

  async guarantees(): Promise<Guarantees> {
    return await guaranteesOf(this.#services);
  }

  protected override async giveBack(): Promise<void> {
    const services = this.#services;
    const holds = [...services.watchdog.leases].flatMap((lease) => lease.holders);
    const released = holds
      .filter((hold) => hold instanceof Grant)
      .map((hold) => hold[Symbol.asyncDispose]());
    await Promise.all(released);
    this.#objects.locks.handOffs.serveNow();
    await services.delivery.cleanedUp();
  }

  protected override shutDown(): void {
    this.#objects.locks.close();
    this.#services.shutDown();
  }
}

/**
 * Makes a client; synchronous, it connects in the background.
 * @param options - options, or in their place the `redis` option alone: a URL, or an instance of ioredis, iovalkey or
 * node-redis.
 * @throws TypeError for anything else, and for options that there are not: nothing is connected to
 * then. RangeError for a number outside its range.
 *
 * @example
 * ```ts
 * const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
 * const eager = createClient({ redis: { host: 'redis.internal', tls: {} }, leaseMs: 10_000 });
 * const other = createClient(new Redis('redis://other.internal')); // of ioredis; it is only read
 * await Promise.all([client.close(), eager.close(), other.close()]);
 * ```
 */
export function createClient(options?: ClientOptions | DriverInstance | string): Client;
export function createClient(
  options?: ClientOptions | DriverInstance | string,
  ...more: unknown[]
): Client {
  if (more.some((argument) => argument !== undefined)) {
    throw new TypeError(
      'createClient takes one argument: write createClient({ redis: url, ...options })',
    );
  }
  return createClientOn({}, options);
}

/** `createClient` with parts of the environment that a test makes. Not exported by the package. */
export function createClientOn(
  environment: Partial<Environment>,
  options?: ClientOptions | DriverInstance | string,
): Client {
  return new RedlatchClient(readClientOptions(options), { ...systemEnvironment(), ...environment });
}
