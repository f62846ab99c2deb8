import type { RandomSource } from '../core/base/random.js';
import type { Command } from '../core/wire/call.js';
import type {
  GiveBackTerms,
  PermitAnswer,
  PermitSource,
  PermitWaiter,
} from '../core/permits/permit-source.js';
import type { Request } from '../core/delivery/requests.js';
import { clientBytes, newPermitId, type PermitIds } from './permit-ids.js';
import type { ExpirableSemaphoreProtocol } from './protocol.js';

/** A waiter for leased permits. */
export interface LeasedPermitWaiter extends PermitWaiter {
  readonly leaseMs: number;
  /** The id that its first permit gets if the newest ask is granted. */
  first: Buffer;
}

/**
 * Asks for permits under fresh ids: a late copy of an ask can then never touch the permits of a
 * later one, and to give back the permits of an ask gives back no others.
 */
export class LeasedPermitSource implements PermitSource<LeasedPermitWaiter> {
  readonly key: string;
  readonly channel: string;
  /** False: a message may hold the number of released permits, not of available ones (P7). */
  readonly tellsAvailable = false;
  readonly #protocol: ExpirableSemaphoreProtocol;
  readonly #random: RandomSource;
  readonly #client: Uint8Array;
  /** The newest request, and its ids: a request is given back before the next one is made. */
  #request: Request | undefined;
  #ids: readonly PermitIds[] = [];

  constructor(
    protocol: ExpirableSemaphoreProtocol,
    { id, random }: { readonly id: string; readonly random: RandomSource },
  ) {
    this.#protocol = protocol;
    this.#random = random;
    this.#client = clientBytes(id);
    this.key = protocol.key;
    this.channel = protocol.channel;
  }

  weightOf({ count }: LeasedPermitWaiter): number {
    return count;
  }

  acquire(
    request: Request,
    waiters: readonly LeasedPermitWaiter[],
    mustQueue: boolean,
  ): Command<PermitAnswer> {
    const ids = waiters.map((waiter) => {
      waiter.first = newPermitId(this.#random, this.#client);
      const { first, count, leaseMs } = waiter;
      return { first, count, leaseMs };
    });
    this.#request = request;
    this.#ids = ids;
    const isDeclared = waiters.some(({ number }) => number !== undefined);
    return this.#protocol.acquire(request, ids, mustQueue, isDeclared);
  }

  giveBack(
    request: Request,
    _waiters: readonly LeasedPermitWaiter[],
    terms: GiveBackTerms,
  ): Command<unknown> {
    const ids = request === this.#request ? this.#ids : [];
    return this.#protocol.giveBack(request, ids, terms);
  }
}
