import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from './core/base/clock.js';
import type { ClientEvents } from './core/observe/events.js';
import { Grant } from './core/grant/grant.js';
import type { Lock } from './core/locks/lock-face.js';
import { LockServices } from './core/locks/lock-services.js';
import { Printable } from './core/observe/printable.js';
import { objectKey } from './core/base/key-names.js';
import type { DriverInstance } from './core/connection/driver.js';
import { createRouter } from './core/connection/create-router.js';
import { ClientServices } from './core/client-services.js';
import { EndpointServices } from './core/endpoint-services.js';
import { checkInteger, INT32_MAX } from './core/base/arguments.js';
import { checkOptions, type OptionSet } from './core/base/options.js';
import { readClientOptions, type CheckedOptions, type ClientOptions } from './client-options.js';
import type { PermitExpirableSemaphore } from './expirable-semaphore/contract.js';
import { ExpirableSemaphoreState } from './expirable-semaphore/grants.js';
import { PermitExpirableSemaphoreFace } from './expirable-semaphore/semaphore.js';
import { LatchFace, type CountDownLatch, type LatchPolls } from './latch/latch.js';
import { ReadWriteLockFace, type ReadWriteLock } from './rwlock/rwlock.js';
import { SemaphoreFace, type Semaphore } from './semaphore/semaphore.js';
import type { SemaphoreQueues } from './semaphore/grants.js';
import { createFairLock, createFencedLock, createLock, type FencedLock } from './lock/lock.js';

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

const CLOSING: OptionSet = {
  of: 'close',
  known: ['timeoutMs'],
  elsewhere: { waitMs: 'what close waits for at most is timeoutMs' },
};

/** Makes coordination objects and owns their connections, leases and waits. */
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
   * return to the front. A process killed while waiting delays others by up to 5 s.
   *
   * Cancellation: a wait that ends gives up its position at once; a later one starts at the end.
   *
   * Failure: while there is no subscription, the waiters of this client poll every 1.3 s.
   */
  getFairLock(name: string): Lock;
  /** A reentrant lock whose holds carry a fencing token. */
  getFencedLock(name: string): FencedLock;
  /** Many readers or one writer. */
  getReadWriteLock(name: string): ReadWriteLock;
  /** A semaphore whose permits live on leases, so that a crash frees what it held. */
  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore;
  /** A counting semaphore: permits without an owner. */
  getSemaphore(name: string): Semaphore;
  /** A count-down latch. */
  getCountDownLatch(name: string): CountDownLatch;
  /** Adds a listener; see ClientEvents. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Adds a listener for the next event only. */
  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /** Removes a listener. */
  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this;
  /**
   * Stops granting, ends every wait with ClosedError, sets every `isHeld` false, then releases
   * every hold and leased permit and closes what it opened, within `timeoutMs` (0 to 2147483647,
   * default 5000). What could not be released by then frees itself with its lease. Permits of
   * counting semaphores have no owner and are not returned. Never rejects; idempotent.
   */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>;
}

class LatchkeyClient extends Printable implements Client {
  readonly id: string = randomUUID();
  readonly #client: ClientServices;
  readonly #services: EndpointServices;
  readonly #locks: LockServices;
  readonly #keyPrefix: string;
  readonly #latchPolls: LatchPolls = new Map();
  readonly #semaphoreQueues: SemaphoreQueues = new Map();
  readonly #expirableSemaphores = new ExpirableSemaphoreState();
  #closing: Promise<void> | undefined;

  constructor({ endpoint, keyPrefix, settings }: CheckedOptions, clock: Clock) {
    super();
    this.#keyPrefix = keyPrefix;
    this.#client = new ClientServices(this.id, settings, clock);
    this.#services = new EndpointServices(this.#client, (owner) =>
      createRouter(endpoint, settings, clock, owner),
    );
    this.#locks = new LockServices(this.#services);
  }

  protected override get label(): string {
    return 'Client';
  }

  override toJSON(): object {
    const state = this.#closing === undefined ? 'open' : 'closed';
    let holds = 0;
    for (const { alive } of this.#services.watchdog.leases) {
      holds += alive;
    }
    return { id: this.id, state, holds };
  }

  getLock(name: string): Lock {
    return createLock(this.#locks, name, objectKey(this.#keyPrefix, name));
  }

  getFairLock(name: string): Lock {
    return createFairLock(this.#locks, name, objectKey(this.#keyPrefix, name));
  }

  getFencedLock(name: string): FencedLock {
    return createFencedLock(this.#locks, name, objectKey(this.#keyPrefix, name));
  }

  getReadWriteLock(name: string): ReadWriteLock {
    return new ReadWriteLockFace(this.#locks, name, objectKey(this.#keyPrefix, name));
  }

  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore {
    const key = objectKey(this.#keyPrefix, name);
    return new PermitExpirableSemaphoreFace(this.#services, name, key, this.#expirableSemaphores);
  }

  getSemaphore(name: string): Semaphore {
    const key = objectKey(this.#keyPrefix, name);
    return new SemaphoreFace(this.#services, name, key, this.#semaphoreQueues);
  }

  getCountDownLatch(name: string): CountDownLatch {
    const key = objectKey(this.#keyPrefix, name);
    return new LatchFace(this.#services, name, key, this.#latchPolls);
  }

  on<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.on(event, listener);
    return this;
  }

  once<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.once(event, listener);
    return this;
  }

  off<E extends keyof ClientEvents>(event: E, listener: ClientEvents[E]): this {
    this.#client.events.off(event, listener);
    return this;
  }

  async close(options?: { timeoutMs?: number | undefined }): Promise<void> {
    const { timeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = checkOptions('options', options, CLOSING) as {
      timeoutMs?: number | undefined;
    };
    checkInteger('timeoutMs', timeoutMs, 0, INT32_MAX);
    this.#closing ??= this.#close(timeoutMs);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    const client = this.#client;
    const services = this.#services;
    client.stopGranting();
    const holds = [...services.watchdog.leases].flatMap((lease) => lease.holders);
    // Every `isHeld` is false before the first release is answered.
    const released = holds
      .filter((hold) => hold instanceof Grant)
      .map((hold) => hold[Symbol.asyncDispose]());
    const cleanUp = async (): Promise<void> => {
      await Promise.all(released);
      await services.delivery.cleanedUp();
    };
    await client.inTime(cleanUp(), timeoutMs);
    this.#locks.close();
    services.shutDown();
    client.shutDown();
  }
}

/**
 * Makes a client; synchronous, it connects in the background.
 * @param options - options, or in their place the `redis` option alone: a URL, or a Redis or Cluster
 * instance of ioredis or iovalkey.
 * @throws TypeError for anything else, and for options that there are not: nothing is connected to
 * then. RangeError for a number outside its range.
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
  return createClientOn(systemClock(), options);
}

/** `createClient` with a clock that a test can advance. Not exported by the package. */
export function createClientOn(
  clock: Clock,
  options?: ClientOptions | DriverInstance | string,
): Client {
  return new LatchkeyClient(readClientOptions(options), clock);
}
