import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import { RECORD_MS } from '../core/wire/constants.generated.js';
import { integers } from '../core/wire/replies.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import { prefixed, privateKey } from '../core/base/key-names.js';
import type { CheckedSetting } from '../core/permits/permits-setting.js';
import { noted, type CarriedSetting, type ToldPermits } from '../core/permits/told-permits.js';
import type { PermitAnswer, PermitSource, PermitWaiter } from '../core/permits/permit-source.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import {
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreConfigure,
  semaphoreDelete,
  semaphoreDrainPermits,
  semaphoreGiveBack,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreTrySetPermits,
} from '../core/wire/scripts.generated.js';

/** The state of a semaphore on the server. */
export interface SemaphoreView {
  readonly available: number;
  readonly exists: boolean;
}

/** The number of permits after a change. */
export interface Availability {
  readonly available: number;
  /** True when the count would not fit into 32 bits: nothing was changed. */
  readonly isRefused: boolean;
}

/** Permits to give back, and the mark of the semaphore that granted them. Without a mark they go to
 * the semaphore that exists now, and make one if there is none. */
export interface Returned {
  readonly permits: number;
  readonly mark: string | undefined;
}

/** The answer of a release, for the waiters that it serves and for its caller. */
export interface ReleaseAnswer extends PermitAnswer, Availability {}

function viewOf(answer: string): SemaphoreView {
  const [available, exists] = integers(answer, 2);
  return { available, exists: exists === 1 };
}

const inspect: CommandScript<SemaphoreView> = {
  ...semaphoreInspect,
  decode: (reply) => viewOf(semaphoreInspect.decode(reply)),
};

const configure: CommandScript<SemaphoreView> = {
  ...semaphoreConfigure,
  decode: (reply) => viewOf(semaphoreConfigure.decode(reply)),
};

/** Reads an answer of `length` integers, followed by the mark of the semaphore. */
function marked<N extends number>(answer: string, length: N) {
  const end = answer.lastIndexOf(' ');
  return { numbers: integers(answer.slice(0, end), length), mark: answer.slice(end + 1) };
}

/** Stands in place of a mark where there is no semaphore. */
const NO_SEMAPHORE = '-';

const acquire: CommandScript<PermitAnswer> = {
  ...semaphoreAcquire,
  decode(reply) {
    const { numbers, mark } = marked(semaphoreAcquire.decode(reply), 3);
    const [granted, , retryMs] = numbers;
    return { granted, retryMs, exists: mark !== NO_SEMAPHORE, mark };
  },
};

/** The count in an answer `full <count>`; undefined for any other answer. */
function refusedAt(answer: string): number | undefined {
  const prefix = 'full ';
  return answer.startsWith(prefix) ? integers(answer.slice(prefix.length), 1)[0] : undefined;
}

const release: CommandScript<ReleaseAnswer> = {
  ...semaphoreRelease,
  decode(reply) {
    const answer = semaphoreRelease.decode(reply);
    const full = refusedAt(answer);
    if (full !== undefined) {
      return { granted: 0, retryMs: -1, available: full, isRefused: true };
    }
    const { numbers, mark } = marked(answer, 4);
    const [granted, , retryMs, available] = numbers;
    return { granted, retryMs, available, isRefused: false, mark };
  },
};

const addPermits: CommandScript<Availability> = {
  ...semaphoreAddPermits,
  decode(reply) {
    const answer = semaphoreAddPermits.decode(reply);
    const full = refusedAt(answer);
    const available = full ?? integers(answer, 1)[0];
    return { available, isRefused: full !== undefined };
  },
};

const NOTHING: Returned = { permits: 0, mark: undefined };

/** The server remembers the answer to a request at least this long. */
const KNOWN_MS = RECORD_MS - 300_000;

/** The keys of the scripts that serve waiters. */
interface QueueKeys {
  readonly semaphore: string;
  readonly requests: string;
  readonly queue: string;
  readonly heartbeats: string;
  readonly marks: string;
  readonly totals: readonly string[];
}

const NO_TOTALS: readonly string[] = [];

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
      queue: privateKey('latchkey_waiting', key),
      heartbeats: privateKey('latchkey_beats', key),
      marks: privateKey('latchkey_generation', key),
      totals: NO_TOTALS,
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
    const keys = this.#keysOfTold(this.#allTold.knows(this.key));
    const operands = semaphoreAcquire.operands(keys, args);
    return noted({ script: acquire, operands }, carried);
  }

  /** Gives permits back, and serves `waiters` from what is available then. */
  release(
    { number, lowWater }: Request,
    { permits, mark = '' }: Returned,
    waiters: readonly PermitWaiter[],
    mustQueue: boolean,
  ): Command<ReleaseAnswer> {
    const isProven = mark !== '';
    const carried = isProven ? undefined : this.#allTold.carry(this);
    const args = {
      number,
      lowWater,
      publish: this.services.router.publish,
      channel: this.channel,
      client: this.services.client.id,
      mustQueue: mustQueue ? 1 : 0,
      permits,
      mark,
      setting: carried?.text ?? '',
      needs: waiters.map(({ count }) => count),
    };
    // One without a mark may make a semaphore, and with it a total.
    const keys = this.#keysOfTold(!isProven || this.#allTold.knows(this.key));
    const operands = semaphoreRelease.operands(keys, args);
    return noted({ script: release, operands }, carried);
  }

  giveBack(request: Request, _waiters: readonly PermitWaiter[], leaves: boolean): Command<number> {
    return this.#undo(request, leaves, NOTHING);
  }

  /** Sets the tombstone of a change, which then never runs (again) and serves no waiter. A release
   * of `returned` that never ran is made now. */
  settle(request: Request, returned: Returned = NOTHING): Command<number> {
    return this.#undo(request, false, returned);
  }

  addPermits({ number, lowWater }: Request, delta: number): Command<Availability> {
    const carried = this.#allTold.carry(this, true);
    const args = { number, lowWater, ...this.notice, delta, setting: carried?.text ?? '' };
    const operands = semaphoreAddPermits.operands(this.#keys, args);
    return noted({ script: addPermits, operands }, carried);
  }

  drainPermits({ number, lowWater }: Request): Command<string> {
    const carried = this.#allTold.carry(this);
    const args = { number, lowWater, setting: carried?.text ?? '' };
    return noted(commandOf(semaphoreDrainPermits, this.#keys, args), carried);
  }

  trySetPermits({ number, lowWater }: Request, permits: number, ttlMs: number): Command<string> {
    const args = { number, lowWater, ...this.notice, permits, ttlMs };
    return commandOf(semaphoreTrySetPermits, this.#keys, args);
  }

  delete({ number, lowWater }: Request): Command<string> {
    return commandOf(semaphoreDelete, this.#keys, { number, lowWater });
  }

  /** Looks at the semaphore with a setting that has to be carried, in a counted call. */
  configure({ number, lowWater }: Request, carried: CarriedSetting): Command<SemaphoreView> {
    const args = { number, lowWater, ...this.notice, setting: carried.text };
    const operands = semaphoreConfigure.operands(this.#keys, args);
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
    leaves: boolean,
    { permits, mark = '' }: Returned,
  ): Command<number> {
    const place = { client: this.services.client.id, leaves: Number(leaves) };
    const args = { number, lowWater, ...this.notice, ...place, permits, mark };
    const keys = this.#keysOfTold(this.#allTold.knows(this.key));
    return commandOf(semaphoreGiveBack, keys, args);
  }

  /** The keys of a semaphore whose number of permits is set or changed. */
  get #keys(): { semaphore: string; requests: string; marks: string; totals: string } {
    const { semaphore, requests, marks } = this.#queueKeys;
    return { semaphore, requests, marks, totals: privateKey('latchkey_total', this.key) };
  }

  /** The total follows what this client takes and returns where it was told a number; it costs
   * nothing elsewhere. */
  #keysOfTold(isTold: boolean): QueueKeys {
    return isTold
      ? { ...this.#queueKeys, totals: [privateKey('latchkey_total', this.key)] }
      : this.#queueKeys;
  }
}
