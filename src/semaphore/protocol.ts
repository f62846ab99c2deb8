import { commandOf, type Command } from '../core/wire/call.js';
import { RECORD_MS } from '../core/base/constants.generated.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey } from '../core/base/key-names.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { declaredIdle, DeclaredNumber } from '../core/permits/declared-number.js';
import type { Statements } from '../core/permits/statements.js';
import type {
  GiveBackTerms,
  PermitAnswer,
  PermitSource,
  PermitWaiter,
} from '../core/permits/permit-source.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  acquire,
  addPermits,
  configure,
  drainPermits,
  giveBackGrant,
  isOfUnknown,
  inspect,
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

/** The same permits, of which a release may have run: only the record of their grant proves that they are still out.
 * Where nothing was known of their semaphore, the record of requests proves it. */
export function provenOnly(returned: Returned): Returned {
  return returned.mark === undefined || isOfUnknown(returned.mark)
    ? returned
    : { ...returned, permits: 0 };
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

/** The answer of `settle` where nothing is known of the grant, and nothing was given back. */
export const UNPROVEN = -1;

/** One counting semaphore on Redisson's wire. */
export class SemaphoreProtocol
  extends ObjectProtocol<EndpointServices>
  implements PermitSource<PermitWaiter>
{
  readonly kind = 'semaphore';
  readonly family: string = this.kind;
  readonly tellsAvailable = true;
  /** The number of permits that the object was made with. */
  readonly number: DeclaredNumber<SemaphoreView> | undefined;
  readonly #queueKeys: QueueKeys;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    statements: Statements,
    setting: CheckedSetting | undefined,
  ) {
    super(services, name, key, prefixed('redisson_sc', key));
    this.number = setting && new DeclaredNumber(services, statements, this, setting);
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
    const args = {
      number,
      lowWater,
      publish: this.services.router.publish,
      channel: this.channel,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      needs: waiters.map(({ count }) => count),
    };
    return { script: acquire, operands: semaphoreAcquire.operands(this.#queueKeys, args) };
  }

  /** Gives permits back, and serves `waiters` from what is available then. */
  release(
    { number, lowWater }: Request,
    { permits, mark = '', place }: Returned,
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Command<ReleaseAnswer> {
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
      declared: mark !== '' ? '' : declaredIdle(this.number),
      needs: waiters.map(({ count }) => count),
    };
    return { script: release, operands: semaphoreRelease.operands(this.#queueKeys, args) };
  }

  /** Gives the permits of a grant back. A copy does no harm, so that the server counts nothing. */
  giveBackGrant({ permits, mark = '', place }: Returned): Command<ReleaseAnswer> {
    const args = { ...this.notice, client: this.services.client.id, permits, mark, place };
    return { script: giveBackGrant, operands: semaphoreReturn.operands(this.#queueKeys, args) };
  }

  giveBack(
    request: Request,
    waiters: readonly PermitWaiter[],
    terms: GiveBackTerms,
  ): Command<number> {
    return this.#undo(request, waiters, terms, NOTHING);
  }

  /** Sets the tombstone of a change, which then never runs (again) and serves no waiter. A release
   * of `returned` that never ran is made now; one that ran may have served `waiters`. */
  settle(
    request: Request,
    returned: Returned = NOTHING,
    waiters: readonly PermitWaiter[] = [],
  ): Command<number> {
    return this.#undo(request, waiters, { leaves: false, mayRun: true }, returned);
  }

  addPermits({ number, lowWater }: Request, delta: number): Command<Availability> {
    const args = { number, lowWater, ...this.notice, delta, declared: declaredIdle(this.number) };
    return { script: addPermits, operands: semaphoreAddPermits.operands(this.#queueKeys, args) };
  }

  drainPermits({ number, lowWater }: Request): Command<string> {
    const args = { number, lowWater, declared: declaredIdle(this.number) };
    return {
      script: drainPermits,
      operands: semaphoreDrainPermits.operands(this.#queueKeys, args),
    };
  }

  trySetPermits({ number, lowWater }: Request, permits: number, ttlMs: number): Command<string> {
    // Below 0 it is no fixed life, but how long the semaphore is kept while nobody uses it.
    const life = ttlMs > 0 ? ttlMs : 0 - (this.number?.setting.idleMs ?? 0);
    const args = { number, lowWater, ...this.notice, permits, ttlMs: life };
    return commandOf(semaphoreTrySetPermits, this.#queueKeys, args);
  }

  delete({ number, lowWater }: Request): Command<string> {
    return commandOf(semaphoreDelete, this.#queueKeys, { number, lowWater });
  }

  /** States the number of permits that the object declares. */
  configure({ number, lowWater }: Request, setting: string): Command<SemaphoreView> {
    const args = { number, lowWater, ...this.notice, setting };
    return { script: configure, operands: semaphoreConfigure.operands(this.#queueKeys, args) };
  }

  setTombstone(request: Request): Command<unknown> {
    return this.settle(request);
  }

  inspect(): Command<SemaphoreView> {
    return { script: inspect, operands: semaphoreInspect.operands({ semaphore: this.key }, {}) };
  }

  #undo(
    { number, lowWater }: Request,
    waiters: readonly PermitWaiter[],
    { leaves, mayRun }: GiveBackTerms,
    { permits, mark = '', place }: Returned,
  ): Command<number> {
    const args = {
      number,
      lowWater,
      ...this.notice,
      client: this.services.client.id,
      leaves: Number(leaves),
      mayRun: Number(mayRun),
      permits,
      mark,
      place,
      needs: waiters.map(({ count }) => count),
    };
    return commandOf(semaphoreGiveBack, this.#queueKeys, args);
  }
}
