import { AcquireTimeoutError } from '../errors.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { contention } from '../core/locks/acquisition.js';
import type { LockHold } from '../core/locks/hold.js';
import { Contention } from '../core/waiting/contention.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';
import type { PendingCall } from '../core/wire/call.js';
import type { PartGrants } from './part.js';

/** A wait for one lock asks by itself. */
const ASKED = { sent: true, refusal: undefined, isAbandoned: false };

/** A lock that is waited for. */
interface Waited {
  readonly grants: PartGrants;
  /** The hold in whose scope it is waited for. */
  readonly around: LockHold | undefined;
}

/** The lock that an acquisition of several has found busy last. The error of a wait whose time is up relies on it. */
export class BusyPart {
  readonly contention: Contention = new Contention();
  readonly #whole: { readonly resource: string; readonly key: string };
  readonly #services: EndpointServices;
  readonly #waitLimit: WaitLimit;
  #part: Waited | undefined;

  /** `whole`: how errors and calls name all of its locks. */
  constructor(
    services: EndpointServices,
    whole: { readonly resource: string; readonly key: string },
    waitLimit: WaitLimit,
  ) {
    this.#whole = whole;
    this.#services = services;
    this.#waitLimit = waitLimit;
  }

  /** An ask that was sent then has found it busy. */
  found(part: Waited, lastSentAt: number): void {
    this.#part = part;
    this.contention.busy({ lastSentAt }, this.#services.clock.now());
  }

  /** It is waited for now. */
  waitsFor(part: Waited): void {
    this.#part = part;
    this.contention.asked(this.#services.clock.now(), ASKED);
  }

  /** It was granted: others had it until now. */
  granted(part: Waited): void {
    this.found(part, this.#services.clock.now());
  }

  get waitedMs(): number {
    return this.#services.clock.now() - this.#waitLimit.startedAt;
  }

  /** The error of a wait for it that was ended by `error`. */
  errorAfter(error: unknown): unknown {
    const holders = error instanceof AcquireTimeoutError ? error.holders : [];
    return this.#waitLimit.ending?.why === 'timeout' ? (this.#contended(holders) ?? error) : error;
  }

  /** The error of a call that has not ended in time. */
  errorOf(ending: Ending, call: PendingCall | undefined): unknown {
    const { client, delivery } = this.#services;
    const { resource, key } = this.#whole;
    return client.errorOf(
      ending,
      resource,
      () =>
        this.#contended() ??
        delivery.timeout(resource, key, call?.sent === true, this.waitedMs, call?.refusal),
    );
  }

  /** The error of a wait that ends while others certainly have it, or had it a moment ago. */
  #contended(holders: AcquireTimeoutError['holders'] = []): Error | undefined {
    const part = this.#part;
    if (part === undefined) {
      return undefined;
    }
    const { resource, key } = part.grants.protocol;
    return this.#services.proves(this.contention, key)
      ? contention(resource, this.waitedMs, part.around?.isHeld === true, holders)
      : undefined;
  }
}
