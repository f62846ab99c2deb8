import { commandOf, type Command } from '../core/wire/call.js';
import { RECORD_MS } from '../core/base/constants.generated.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey } from '../core/base/key-names.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { noted, type CarriedSetting, type ToldPermits } from '../core/permits/told-permits.js';
import type { PermitAnswer, PermitSource, PermitWaiter } from '../core/permits/permit-source.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  acquire,
  addPermits,
  configure,
  giveBackGrant,
  inspect,
  isOfUnknown,
  release,
  type Availability,
  type ReleaseAnswer,
  type SemaphoreView,
} from './answers.js';
import {
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreConfigure,
  semaphoreDelete,
  semaphoreDrainPermits,
  semaphoreGiveBack,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreReturn,
  semaphoreTrySetPermits,
} from '../core/wire/scripts.generated.js';

/** Permits to give back, and the grant that they are of: the mark of its request, and its place among
 * those of that request. Without a mark they go to the semaphore that exists now, and make one if
 * there is none. */
export interface Returned {
  readonly permits: number;
  readonly mark: string | undefined;
  readonly place: number;
}

const NOTHING: Returned = { permits: 0, mark: undefined, place: 0 };

/** The server remembers the answer to a request at least this long. */
const KNOWN_MS = RECORD_MS - 300_000;

/** The keys of the scripts that serve waiters. */
interface QueueKeys {
  readonly semaphore: string;
  readonly requests: string;
  readonly queue: string;
  readonly heartbeats: string;
  readonly record: string;
}

/** One counting semaphore on Redisson's wire. */
export class SemaphoreProtocol
  extends ObjectProtocol<EndpointServices>
  implements PermitSource<PermitWaiter>
{
  readonly kind = 'semaphore';
  readonly family: string = this.kind;
  readonly tellsAvailable = true;
  /** What the object was told of its number of permits. */
  readonly told: CheckedSetting | undefined;
  readonly #allTold: ToldPermits;
  readonly #queueKeys: QueueKeys;

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
    this.#queueKeys = {
      semaphore: key,
      requests: this.requestsKey,
      queue: privateKey('waiting', key),
      heartbeats: privateKey('beats', key),
      record: privateKey('permits', key),
    };
  }

  watchRecord(): () => void {
    const { clock } = this.services;
    const forgottenAt = clock.now() + KNOWN_MS;
    return () => {
      if (clock.now() > forgottenAt) {
        const what = `permits of "${this.resource}" may be lost`;
        this.services.client.failed(
          new Error(`${what}: what an acquisition got is not known any more`),
        );
      }
    };
  }

  /** The server writes one count, whatever the number of permits. */
  weightOf(): number {
    return 0;
  }

  acquire(
    { number, lowWater }: Request,
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Command<PermitAnswer> {
    const carried = this.#allTold.carry(this);
    const args = {
      number,
      lowWater,
      publish: this.services.router.publish,
      channel: this.channel,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      setting: carried?.text ?? '',
      needs: waiters.map(({ count }) => count),
    };
    const operands = semaphoreAcquire.operands(this.#queueKeys, args);
    return noted({ script: acquire, operands }, carried);
  }

  /** Gives permits back, and serves `waiters` from what is available then. */
  release(
    { number, lowWater }: Request,
    { permits, mark = '', place }: Returned,
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Command<ReleaseAnswer> {
    const carried = mark !== '' ? undefined : this.#allTold.carryAlways(this);
    const args = {
      number,
      lowWater,
      publish: this.services.router.publish,
      channel: this.channel,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      permits,
      mark,
      place,
      setting: carried?.text ?? '',
      needs: waiters.map(({ count }) => count),
    };
    const operands = semaphoreRelease.operands(this.#queueKeys, args);
    return noted({ script: release, operands }, carried);
  }

  /** Gives the permits of a grant back. A copy does no harm, so that the server counts nothing. */
  giveBackGrant({ permits, mark = '', place }: Returned): Command<ReleaseAnswer> {
    const args = { ...this.notice, client: this.services.client.id, permits, mark, place };
    return { script: giveBackGrant, operands: semaphoreReturn.operands(this.#queueKeys, args) };
  }

  giveBack(request: Request, waiters: readonly PermitWaiter[], leaves: boolean): Command<number> {
    return this.#undo(request, waiters, leaves, NOTHING);
  }

  /** Sets the tombstone of a change, which then never runs (again) and serves no waiter. A release
   * of `returned` that never ran is made now; one that ran may have served `waiters`. */
  settle(
    request: Request,
    returned: Returned = NOTHING,
    waiters: readonly PermitWaiter[] = [],
  ): Command<number> {
    return this.#undo(request, waiters, false, returned);
  }

  addPermits({ number, lowWater }: Request, delta: number): Command<Availability> {
    const carried = this.#allTold.carryAlways(this, true);
    const args = { number, lowWater, ...this.notice, delta, setting: carried?.text ?? '' };
    const operands = semaphoreAddPermits.operands(this.#queueKeys, args);
    return noted({ script: addPermits, operands }, carried);
  }

  drainPermits({ number, lowWater }: Request): Command<string> {
    const carried = this.#allTold.carryAlways(this);
    const args = { number, lowWater, ...this.notice, setting: carried?.text ?? '' };
    return noted(commandOf(semaphoreDrainPermits, this.#queueKeys, args), carried);
  }

  trySetPermits({ number, lowWater }: Request, permits: number, ttlMs: number): Command<string> {
    const args = { number, lowWater, ...this.notice, permits, ttlMs };
    return commandOf(semaphoreTrySetPermits, this.#queueKeys, args);
  }

  delete({ number, lowWater }: Request): Command<string> {
    return commandOf(semaphoreDelete, this.#queueKeys, { number, lowWater });
  }

  /** Looks at the semaphore with a setting that has to be carried, in a counted call. */
  configure({ number, lowWater }: Request, carried: CarriedSetting): Command<SemaphoreView> {
    const args = { number, lowWater, ...this.notice, setting: carried.text };
    const operands = semaphoreConfigure.operands(this.#queueKeys, args);
    return noted({ script: configure, operands }, carried);
  }

  /** What a look at the semaphore, or the next ask, has to carry; mostly nothing. */
  carried(but?: string): CarriedSetting | undefined {
    const carried = this.#allTold.carry(this);
    return carried?.text === but ? undefined : carried;
  }

  inspect(): Command<SemaphoreView> {
    return { script: inspect, operands: semaphoreInspect.operands({ semaphore: this.key }, {}) };
  }

  #undo(
    { number, lowWater }: Request,
    waiters: readonly PermitWaiter[],
    leaves: boolean,
    { permits, mark = '', place }: Returned,
  ): Command<number> {
    const args = {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      leaves: Number(leaves),
      permits,
      mark,
      place,
      needs: waiters.map(({ count }) => count),
    };
    return commandOf(semaphoreGiveBack, this.#queueKeys, args);
  }

  shown({ exists, granted, mark, above = 0 }: PermitAnswer): void {
    if (above > 0) {
      this.#allTold.mismatched(this, above);
    }
    if (exists === false) {
      this.absent();
    } else if (granted > 0 && mark !== undefined && this.#allTold.knows(this.key)) {
      const [semaphoreId = '', left] = mark.split(':', 2);
      this.#allTold.granted(this, semaphoreId, isOfUnknown(mark) ? Number(left) : undefined);
    }
  }

  absent(): void {
    this.#allTold.absent(this.key);
  }
}
