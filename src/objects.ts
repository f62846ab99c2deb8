import { objectKey } from './core/base/key-names.js';
import { Recent } from './core/base/recent.js';
import type { EndpointServices } from './core/endpoint-services.js';
import type { Lock } from './core/locks/lock-face.js';
import { LockServices } from './core/locks/lock-services.js';
import { checkPermitsSetting } from './core/permits/permits-setting.js';
import type { PermitExpirableSemaphore } from './expirable-semaphore/contract.js';
import { ExpirableSemaphoreState } from './expirable-semaphore/grants.js';
import { PermitExpirableSemaphoreFace } from './expirable-semaphore/semaphore.js';
import { LatchFace, type CountDownLatch, type LatchPolls } from './latch/latch.js';
import { createFairLock, createFencedLock, createLock, type FencedLock } from './lock/lock.js';
import { createReadWriteLock, type ReadWriteLock } from './rwlock/rwlock.js';
import { SemaphoreState } from './semaphore/grants.js';
import { SemaphoreFace, type Semaphore } from './semaphore/semaphore.js';

/** The objects of one client, by name. They carry no state that a caller sees: those that are asked for
 * often are not made again, and neither is their name checked again. */
export class Objects {
  readonly locks: LockServices;
  readonly lock: Recent<Lock>;
  readonly fairLock: Recent<Lock>;
  readonly fencedLock: Recent<FencedLock>;
  readonly readWriteLock: Recent<ReadWriteLock>;
  readonly latch: Recent<CountDownLatch>;
  readonly #services: EndpointServices;
  readonly #keyPrefix: string;
  readonly #latchPolls: LatchPolls = new Map();
  readonly #semaphoreState: SemaphoreState;
  readonly #expirableState: ExpirableSemaphoreState;
  /** Those whose number of permits is not told with the name. */
  readonly #semaphores = new Recent((name) => this.#makeSemaphore(name));
  readonly #expirable = new Recent((name) => this.#makeExpirable(name));

  constructor(services: EndpointServices, keyPrefix: string) {
    const { events } = services.client;
    this.#services = services;
    this.#keyPrefix = keyPrefix;
    this.locks = new LockServices(services);
    this.lock = this.#locksBy(createLock);
    this.fairLock = this.#locksBy(createFairLock);
    this.fencedLock = this.#locksBy(createFencedLock);
    this.readWriteLock = this.#locksBy(createReadWriteLock);
    this.latch = new Recent(
      (name) => new LatchFace(services, name, this.#keyOf(name), this.#latchPolls),
    );
    this.#semaphoreState = new SemaphoreState(events);
    this.#expirableState = new ExpirableSemaphoreState(events);
  }

  semaphore(name: string, options: unknown): Semaphore {
    return options === undefined ? this.#semaphores.get(name) : this.#makeSemaphore(name, options);
  }

  permitExpirableSemaphore(name: string, options: unknown): PermitExpirableSemaphore {
    return options === undefined ? this.#expirable.get(name) : this.#makeExpirable(name, options);
  }

  #locksBy<T>(make: (locks: LockServices, name: string, key: string) => T): Recent<T> {
    return new Recent((name) => make(this.locks, name, this.#keyOf(name)));
  }

  #makeSemaphore(name: string, options?: unknown): Semaphore {
    const key = this.#keyOf(name);
    const told = checkPermitsSetting(options, true);
    return new SemaphoreFace(this.#services, name, key, this.#semaphoreState, told);
  }

  #makeExpirable(name: string, options?: unknown): PermitExpirableSemaphore {
    const key = this.#keyOf(name);
    const told = checkPermitsSetting(options, false);
    const state = this.#expirableState;
    return new PermitExpirableSemaphoreFace(this.#services, name, key, state, told);
  }

  #keyOf(name: string): string {
    return objectKey(this.#keyPrefix, name);
  }
}
