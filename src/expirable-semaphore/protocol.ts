import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { integers } from '../core/wire/replies.js';
import type { Holder } from '../core/observe/events.js';
import type { LeasedObject } from '../core/grant/grant-lifecycle.js';
import type { ReleaseResult } from '../core/grant/release.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey, suffixed, twinOf } from '../core/base/key-names.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { noted, type CarriedSetting, type ToldPermits } from '../core/permits/told-permits.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
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
  expirableSemaphoreRenew,
  expirableSemaphoreResize,
  expirableSemaphoreTrySet,
  expirableSemaphoreUpdateLease,
  requestsCancel,
} from '../core/wire/scripts.generated.js';
import { idBytes, idsBytes, joined, singleId, type PermitIds } from './permit-ids.js';
import {
  renewalAnswers,
  type Renewal,
  type RenewalAnswer,
  type RenewalItem,
} from '../core/lease/renewal.js';

/** The numbers of permits on the server. */
export interface PermitsView {
  /** Negative after a shrink. */
  readonly available: number;
  readonly acquired: number;
  readonly exists: boolean;
}

/** Stands in place of the life of a semaphore where there is none. */
const NO_SEMAPHORE = -2;

const acquire: CommandScript<PermitAnswer> = {
  ...expirableSemaphoreAcquire,
  decode(reply) {
    const [granted, retryMs, lifeMs] = integers(expirableSemaphoreAcquire.decode(reply), 3);
    return { granted, retryMs, lifeMs, exists: lifeMs !== NO_SEMAPHORE };
  },
};

function viewOf(answer: string): PermitsView {
  const [available, acquired, exists] = integers(answer, 3);
  return { available, acquired, exists: exists === 1 };
}

const inspect: CommandScript<PermitsView> = {
  ...expirableSemaphoreInspect,
  decode: (reply) => viewOf(expirableSemaphoreInspect.decode(reply)),
};

const configure: CommandScript<PermitsView> = {
  ...expirableSemaphoreConfigure,
  decode: (reply) => viewOf(expirableSemaphoreConfigure.decode(reply)),
};

const holders: CommandScript<readonly Holder[]> = {
  ...expirableSemaphoreHolders,
  decode(reply) {
    const pairs = expirableSemaphoreHolders.decode(reply).matchAll(/(\S+) (-?\d+)/g);
    return Array.from(pairs, ([, holderId = '', left]) => {
      const leftMs = Number(left);
      return { holderId, depth: 1, remainingMs: leftMs < 0 ? Number.POSITIVE_INFINITY : leftMs };
    });
  },
};

const FREED: ReleaseResult = { is: 'freed', receivers: 0 };
const DELETED: ReleaseResult = { is: 'deleted' };

const release: CommandScript<ReleaseResult> = {
  ...expirableSemaphoreRelease,
  decode(reply) {
    const released = expirableSemaphoreRelease.decode(reply);
    return released > 0 ? FREED : DELETED;
  },
};

const renew: CommandScript<readonly RenewalAnswer[]> = {
  ...expirableSemaphoreRenew,
  decode: (reply) => renewalAnswers(expirableSemaphoreRenew.decode(reply).split(' ')),
};

/** The record of the leases that we wrote. */
const leasesKey = (key: string): string => privateKey('leases', key);

function renewal(items: readonly RenewalItem[]): Command<readonly RenewalAnswer[]> {
  const operands = expirableSemaphoreRenew.operands(
    { keys: items.flatMap(({ key }) => [key, suffixed(key, 'timeout'), leasesKey(key)]) },
    { claims: items.map(({ holderId, leaseMs }) => joined(idBytes(holderId), String(leaseMs))) },
  );
  return { script: renew, operands };
}

const NO_TWIN: readonly string[] = [];

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
    twin: readonly string[];
  };
  /** What the object was told of its number of permits. */
  readonly told: CheckedSetting | undefined;
  readonly #allTold: ToldPermits;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    allTold: ToldPermits,
    told: CheckedSetting | undefined,
  ) {
    super(services, name, key, prefixed('redisson_sc', key));
    this.told = told;
    this.#allTold = allTold;
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
      twin: twin === undefined ? [] : [twin],
    };
    this.#queueKeys = {
      ...this.#requestKeys,
      queue: privateKey('waiting', key),
      heartbeats: privateKey('beats', key),
      twin: NO_TWIN,
    };
  }

  override get sideKeys(): readonly string[] {
    return [this.#keys.timeouts];
  }

  /** Acquires permits for as many waiters as fit, in their order; each item is of one waiter. */
  acquire(
    { number, lowWater }: Request,
    claims: readonly (PermitIds & { readonly leaseMs: number })[],
    mustQueue: boolean,
  ): Command<PermitAnswer> {
    const carried = this.#allTold.carry(this);
    // Only a call that may make the semaphore needs its twin.
    const { twin } = this.#requestKeys;
    const keys = carried === undefined ? this.#queueKeys : { ...this.#queueKeys, twin };
    const operands = expirableSemaphoreAcquire.operands(keys, {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      setting: carried?.text ?? '',
      claims: claims.map(({ first, count, leaseMs }) => joined(first, `${count} ${leaseMs}`)),
    });
    return noted({ script: acquire, operands }, carried);
  }

  giveBack(
    { number, lowWater }: Request,
    claims: readonly PermitIds[],
    leaves: boolean,
  ): Command<unknown> {
    return commandOf(expirableSemaphoreGiveBack, this.#queueKeys, {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      leaves: Number(leaves),
      claims: claims.map((claim) => idsBytes(claim)),
    });
  }

  /** Gives back permits of this client; safe to run twice. */
  release(claim: PermitIds): Command<ReleaseResult> {
    const args = { ...this.notice, claim: idsBytes(claim) };
    return { script: release, operands: expirableSemaphoreRelease.operands(this.#keys, args) };
  }

  releaseAny({ number, lowWater }: Request, id: string): Command<string> {
    const claim = idsBytes(singleId(id));
    return commandOf(expirableSemaphoreReleaseAny, this.#requestKeys, {
      number,
      lowWater,
      ...this.notice,
      claim,
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
      ttlMs,
      ...this.notice,
    });
  }

  /** Sets the number of permits, or adds to it. */
  resize({ number, lowWater }: Request, way: 'to' | 'by', permits: number): Command<string> {
    const carried = way === 'by' ? this.#allTold.carryAlways(this, true) : undefined;
    const change = { way, permits, ...this.notice, setting: carried?.text ?? '' };
    const args = { number, lowWater, ...change };
    return noted(commandOf(expirableSemaphoreResize, this.#requestKeys, args), carried);
  }

  /** Looks at the semaphore with a setting that has to be carried, in a counted call. */
  configure({ number, lowWater }: Request, carried: CarriedSetting): Command<PermitsView> {
    const args = { number, lowWater, ...this.notice, setting: carried.text };
    const operands = expirableSemaphoreConfigure.operands(this.#requestKeys, args);
    return noted({ script: configure, operands }, carried);
  }

  /** What a look at the semaphore, or the next ask, has to carry; mostly nothing. */
  carried(but?: string): CarriedSetting | undefined {
    const carried = this.#allTold.carry(this);
    return carried?.text === but ? undefined : carried;
  }

  shown({ exists }: PermitAnswer): void {
    if (exists === false) {
      this.absent();
    }
  }

  absent(): void {
    this.#allTold.absent(this.key);
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
