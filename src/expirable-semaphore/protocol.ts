import { commandOf, type Command } from '../core/wire/call.js';
import type { Holder } from '../core/observe/events.js';
import type { LeasedObject } from '../core/grant/grant-lifecycle.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey, suffixed, twinOf } from '../core/base/key-names.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { declaredIdle, DeclaredNumber } from '../core/permits/declared-number.js';
import type { Statements } from '../core/permits/statements.js';
import type { GiveBackTerms, PermitAnswer } from '../core/permits/permit-source.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  expirableSemaphoreAcquire,
  expirableSemaphoreConfigure,
  expirableSemaphoreDelete,
  expirableSemaphoreGiveBack,
  expirableSemaphoreHolders,
  expirableSemaphoreInspect,
  expirableSemaphoreRelease,
  expirableSemaphoreReleaseAny,
  expirableSemaphoreResize,
  expirableSemaphoreTrySet,
  expirableSemaphoreUpdateLease,
  requestsCancel,
} from '../core/wire/scripts.generated.js';
import { idBytes, idsBytes, joined, singleId, type PermitIds } from './permit-ids.js';
import type { Renewal } from '../core/lease/renewal.js';
import {
  acquire,
  configure,
  holders,
  inspect,
  release,
  resize,
  type PermitsView,
} from './answers.js';
import type { Detachable } from '../core/grant/detachable.js';
import { detachablePermits, leasesKey, renewal } from './leases.js';

const NO_IDLE: readonly number[] = [];

/** One permit-expirable semaphore on Redisson's wire. */
export class ExpirableSemaphoreProtocol
  extends ObjectProtocol<EndpointServices>
  implements LeasedObject
{
  readonly kind = 'permit-expirable-semaphore';
  readonly family: string = this.kind;
  readonly renewal: Renewal = renewal;
  /** The keys of Redisson, and the record of our leases. */
  readonly #keys: { semaphore: string; timeouts: string; leases: string };
  /** These, and the private record of counted calls. */
  readonly #requestKeys: {
    semaphore: string;
    timeouts: string;
    leases: string;
    requests: string;
    deleted: string;
    statements: string;
    /** The other name, if any, for which Redisson uses the same permits. */
    twin: readonly string[];
  };
  /** And the wait queue of the clients whose head was passed over for long. */
  readonly #queueKeys: {
    semaphore: string;
    timeouts: string;
    leases: string;
    requests: string;
    queue: string;
    heartbeats: string;
    deleted: string;
  };
  /** The number of permits that the object was made with. */
  readonly number: DeclaredNumber<PermitsView> | undefined;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    statements: Statements,
    setting: CheckedSetting | undefined,
  ) {
    super(services, name, key, prefixed('redisson_sc', key));
    this.number = setting && new DeclaredNumber(services, statements, this, setting);
    this.#keys = {
      semaphore: key,
      timeouts: suffixed(key, 'timeout'),
      leases: leasesKey(key),
    };
    const twin = twinOf(key);
    const requests = this.requestsKey;
    const deleted = privateKey('deleted', key);
    this.#requestKeys = {
      ...this.#keys,
      requests,
      deleted,
      statements: privateKey('statements', key),
      twin: twin === undefined ? [] : [twin],
    };
    this.#queueKeys = {
      ...this.#keys,
      requests,
      deleted,
      queue: privateKey('waiting', key),
      heartbeats: privateKey('beats', key),
    };
  }

  override get sideKeys(): readonly string[] {
    return [this.#keys.timeouts];
  }

  get detachable(): Detachable {
    return detachablePermits(this.#queueKeys);
  }

  /** Acquires permits for as many waiters as fit, in their order; each item is of one waiter. `isDeclared`: one of them
   * is of an object that judges by its own number. */
  acquire(
    { number, lowWater }: Request,
    claims: readonly (PermitIds & { readonly leaseMs: number })[],
    mustQueue: boolean,
    isDeclared: boolean,
  ): Command<PermitAnswer> {
    const operands = expirableSemaphoreAcquire.operands(this.#queueKeys, {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      declared: isDeclared ? '1' : '',
      claims: claims.map(({ first, count, leaseMs }) => joined(first, `${count} ${leaseMs}`)),
    });
    return { script: acquire, operands };
  }

  giveBack(
    { number, lowWater }: Request,
    claims: readonly PermitIds[],
    { leaves, mayRun }: GiveBackTerms,
  ): Command<unknown> {
    return commandOf(expirableSemaphoreGiveBack, this.#queueKeys, {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      leaves: Number(leaves),
      mayRun: Number(mayRun),
      claims: claims.map((claim) => idsBytes(claim)),
    });
  }

  /** A release looks for an end that may come sooner only where there is one. */
  get #idle(): readonly number[] {
    const idleMs = this.number?.setting.idleMs;
    return idleMs === undefined ? NO_IDLE : [idleMs];
  }

  /** Gives back permits of this client; safe to run twice. */
  release(claim: PermitIds): Command<ReleaseResult> {
    const args = { ...this.notice, claim: idsBytes(claim), idle: this.#idle };
    return { script: release, operands: expirableSemaphoreRelease.operands(this.#keys, args) };
  }

  releaseAny({ number, lowWater }: Request, id: string): Command<string> {
    const claim = idsBytes(singleId(id));
    return commandOf(expirableSemaphoreReleaseAny, this.#requestKeys, {
      number,
      lowWater,
      ...this.notice,
      claim,
      idle: this.#idle,
    });
  }

  updateLease({ number, lowWater }: Request, id: string, leaseMs: number): Command<string> {
    const args = { number, lowWater, permit: idBytes(id), leaseMs, ...this.notice };
    return commandOf(expirableSemaphoreUpdateLease, this.#requestKeys, args);
  }

  trySet({ number, lowWater }: Request, permits: number, ttlMs: number): Command<string> {
    return commandOf(expirableSemaphoreTrySet, this.#requestKeys, {
      number,
      lowWater,
      permits,
      // Below 0 it is no fixed life, but how long the semaphore is kept while nobody uses it.
      ttlMs: ttlMs > 0 ? ttlMs : 0 - (this.number?.setting.idleMs ?? 0),
      ...this.notice,
    });
  }

  /** Sets the number of permits, or adds to it. */
  resize({ number, lowWater }: Request, way: 'to' | 'by', permits: number): Command<string> {
    const change = { way, permits, ...this.notice, declared: declaredIdle(this.number) };
    const args = { number, lowWater, ...change };
    const operands = expirableSemaphoreResize.operands(this.#requestKeys, args);
    return { script: resize, operands };
  }

  /** States the number of permits that the object declares. */
  configure({ number, lowWater }: Request, setting: string): Command<PermitsView> {
    const args = { number, lowWater, ...this.notice, setting };
    const operands = expirableSemaphoreConfigure.operands(this.#requestKeys, args);
    return { script: configure, operands };
  }

  setTombstone(request: Request): Command<unknown> {
    return this.cancel(request);
  }

  /** Makes sure that a request never runs. */
  cancel({ number, lowWater }: Request): Command<string> {
    return commandOf(requestsCancel, { requests: this.requestsKey }, { number, lowWater });
  }

  delete({ number, lowWater }: Request): Command<string> {
    return commandOf(expirableSemaphoreDelete, this.#requestKeys, { number, lowWater });
  }

  inspect(): Command<PermitsView> {
    return { script: inspect, operands: expirableSemaphoreInspect.operands(this.#keys, {}) };
  }

  holders(): Command<readonly Holder[]> {
    const { timeouts } = this.#keys;
    return { script: holders, operands: expirableSemaphoreHolders.operands({ timeouts }, {}) };
  }
}
