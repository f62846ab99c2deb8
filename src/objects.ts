import { checkBound, checkLease } from './core/base/arguments.js';
import { describe, objectKey } from './core/base/key-names.js';
import { checkOptions, type OptionSet } from './core/base/options.js';
import { Recent } from './core/base/recent.js';
import type { EndpointServices } from './core/endpoint-services.js';
import { adopt } from './core/grant/adoption.js';
import { readDetached, type DetachableKind } from './core/grant/detached.js';
import { LockAdopter, type DetachableProtocol } from './core/locks/adopter.js';
import type { HoldFace } from './core/locks/hold-face.js';
import type { Lock } from './core/locks/lock-face.js';
import { LockServices } from './core/locks/lock-services.js';
import { checkPermitsSetting } from './core/permits/permits-setting.js';
import type { PermitExpirableSemaphore } from './expirable-semaphore/contract.js';
import { PermitAdopter } from './expirable-semaphore/adopter.js';
import { ExpirableSemaphoreState } from './expirable-semaphore/grants.js';
import type { PermitFace } from './expirable-semaphore/permit.js';
import { PermitExpirableSemaphoreFace } from './expirable-semaphore/semaphore.js';
import { LatchFace, type CountDownLatch, type LatchPolls } from './latch/latch.js';
import { createFairLock, createFencedLock, createLock, type FencedLock } from './lock/lock.js';
import { FairLockProtocol } from './lock/fair.js';
import { FencedLockProtocol, HashLockProtocol } from './lock/protocol.js';
import { Asking } from './multi-lock/asking.js';
import { MultiLockFace, type MultiLock } from './multi-lock/multi-lock.js';
import { checkFenced } from './multi-lock/options.js';
import { locksInOrder, namedLock, type NamedLock } from './multi-lock/names.js';
import { createReadWriteLock, type ReadWriteLock } from './rwlock/rwlock.js';
import { WriteProtocol } from './rwlock/write-protocol.js';
import { SemaphoreState } from './semaphore/grants.js';
import { SemaphoreFace, type Semaphore } from './semaphore/semaphore.js';

const ADOPTING: OptionSet = {
  of: 'adopt',
  known: ['leaseMs'],
  elsewhere: { waitMs: 'adopt does not wait: what is detached is held' },
};

function lockProtocol(
  services: EndpointServices,
  kind: Exclude<DetachableKind, 'permit-expirable-semaphore'>,
  name: string,
  key: string,
): DetachableProtocol {
  switch (kind) {
    case 'fair-lock':
      return new FairLockProtocol(services, name, key);
    case 'fenced-lock':
      return new FencedLockProtocol(services, kind, name, key);
    case 'write-lock':
      return new WriteProtocol(services, name, key);
    default:
      return new HashLockProtocol(services, kind, name, key);
  }
}

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
  readonly #asking = new Asking();
  /** The locks that multi-locks are made of. */
  readonly #parts = new Recent((name) => this.#part(name, false));
  readonly #fencedParts = new Recent((name) => this.#part(name, true));
  readonly #latchPolls: LatchPolls = new Map();
  readonly #semaphoreState: SemaphoreState;
  readonly #expirableState: ExpirableSemaphoreState;
  /** Those that are made without a number of permits. */
  readonly #semaphores = new Recent((name) => this.#makeSemaphore(name));
  readonly #expirable = new Recent((name) => this.#makeExpirable(name));

  constructor(services: EndpointServices, keyPrefix: string) {
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
    this.#semaphoreState = new SemaphoreState();
    this.#expirableState = new ExpirableSemaphoreState();
  }

  multiLock(names: unknown, options: unknown): MultiLock {
    const fenced = checkFenced(options);
    const known = fenced ? this.#fencedParts : this.#parts;
    // A name that is no string is refused before it is looked up.
    const lockOf = (name: unknown): NamedLock<HashLockProtocol> =>
      typeof name === 'string' ? known.get(name) : this.#part(name, fenced);
    return new MultiLockFace(this.locks, this.#asking, locksInOrder(names, lockOf));
  }

  #part(name: unknown, fenced: boolean): NamedLock<HashLockProtocol> {
    const key = this.#keyOf(name);
    const Protocol = fenced ? FencedLockProtocol : HashLockProtocol;
    const kind = fenced ? 'fenced-lock' : 'lock';
    return namedLock(new Protocol(this.#services, kind, String(name), key));
  }

  semaphore(name: string, options: unknown): Semaphore {
    return options === undefined ? this.#semaphores.get(name) : this.#makeSemaphore(name, options);
  }

  permitExpirableSemaphore(name: string, options: unknown): PermitExpirableSemaphore {
    return options === undefined ? this.#expirable.get(name) : this.#makeExpirable(name, options);
  }

  /** Takes over what another client has detached. */
  async adopt(value: unknown, given: unknown): Promise<HoldFace | PermitFace> {
    const detached = readDetached(value);
    const { kind, name, key, boundMs } = detached;
    const { leaseMs, renewed } = checkLease(
      checkOptions('options', given, ADOPTING),
      this.#services.client.settings.leaseMs,
    );
    checkBound(renewed ? 0 : leaseMs, boundMs ?? Infinity);
    const terms = {
      leaseMs: Math.min(leaseMs, boundMs ?? Infinity),
      renewed,
      maxHoldMs: boundMs,
    };
    if (this.#keyOf(name) !== key) {
      throw new TypeError(
        `detached must be of a client with the same keyPrefix: it has the key ${describe(key)}, and ` +
          `"${name}" is ${describe(this.#keyOf(name))} here`,
      );
    }
    if (kind === 'permit-expirable-semaphore') {
      const adopter = new PermitAdopter(this.#services, name, key, this.#expirableState);
      return await adopt(adopter, detached, terms);
    }
    const protocol = lockProtocol(this.#services, kind, name, key);
    return await adopt(new LockAdopter(this.locks, protocol), detached, terms);
  }

  #locksBy<T>(make: (locks: LockServices, name: string, key: string) => T): Recent<T> {
    return new Recent((name) => make(this.locks, name, this.#keyOf(name)));
  }

  #makeSemaphore(name: string, options?: unknown): Semaphore {
    const key = this.#keyOf(name);
    const setting = checkPermitsSetting(options, true);
    return new SemaphoreFace(this.#services, name, key, this.#semaphoreState, setting);
  }

  #makeExpirable(name: string, options?: unknown): PermitExpirableSemaphore {
    const key = this.#keyOf(name);
    const setting = checkPermitsSetting(options, false);
    const state = this.#expirableState;
    return new PermitExpirableSemaphoreFace(this.#services, name, key, state, setting);
  }

  #keyOf(name: unknown): string {
    return objectKey(this.#keyPrefix, name);
  }
}
