import { INT32_MAX } from '../base/arguments.js';
import type { Command } from '../wire/call.js';
import type { Holder } from '../observe/events.js';
import { FIRST_PAGE, LAST_PAGE, type LockProtocol, type Page } from './lock-protocol.js';
import type { Delivery } from '../delivery/delivery.js';

/**
 * The read-only questions about a lock. Each command is bounded, however many hold the lock: an
 * answer that does not fit into one page is read page by page.
 */
export class LockQuestions {
  readonly #delivery: Pick<Delivery, 'read'>;
  readonly #protocol: LockProtocol;

  constructor(delivery: Pick<Delivery, 'read'>, protocol: LockProtocol) {
    this.#delivery = delivery;
    this.#protocol = protocol;
  }

  async isLocked(): Promise<boolean> {
    // The lease of any holder is enough.
    return (await this.#leaseMs(1)) !== -2;
  }

  async remainingLeaseMs(): Promise<number | null> {
    const leaseMs = await this.#leaseMs(INT32_MAX);
    if (leaseMs === -2) {
      return null;
    }
    return leaseMs === -1 ? Number.POSITIVE_INFINITY : leaseMs;
  }

  async holdCount(holderId: string): Promise<number> {
    return await this.#delivery.read(this.#protocol.resource, this.#protocol.holdCount(holderId));
  }

  /** A holder that is there during the whole read is listed once, though pages may repeat it. */
  async holders(): Promise<Holder[]> {
    const found = new Map<string, Holder>();
    await this.#pages(
      (cursor) => this.#protocol.holders(cursor),
      ({ holders }) => {
        for (const holder of holders) {
          found.set(holder.holderId, holder);
        }
        return false;
      },
    );
    return [...found.values()];
  }

  /** The longest lease, or one of at least `enoughMs`. */
  async #leaseMs(enoughMs: number): Promise<number> {
    let longestMs = -2;
    await this.#pages(
      (cursor) => this.#protocol.lease(cursor, enoughMs),
      ({ leaseMs }) => {
        longestMs = Math.max(longestMs, leaseMs);
        return longestMs >= enoughMs;
      },
    );
    return longestMs;
  }

  /** Reads pages until `see` returns true or the last is read, all within `commandTimeoutMs`. */
  async #pages<P extends Page>(
    build: (cursor: string) => Command<P>,
    see: (page: P) => boolean,
  ): Promise<void> {
    await this.#delivery.read(this.#protocol.resource, build(FIRST_PAGE), (page) =>
      see(page) || page.cursor === LAST_PAGE ? undefined : build(page.cursor),
    );
  }
}
