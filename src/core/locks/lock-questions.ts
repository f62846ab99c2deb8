import { INT32_MAX } from '../base/arguments.js';
import type { Command } from '../wire/call.js';
import type { Holder } from '../observe/events.js';
import { FIRST_PAGE, LAST_PAGE, type LockProtocol, type Page } from './lock-protocol.js';
import type { Delivery } from '../delivery/delivery.js';

/**
 * What a lock is asked about itself. Each command costs the server the same however many hold the
 * lock: a question that one page cannot settle is asked again, page by page.
 */
export class LockQuestions {
  readonly #delivery: Pick<Delivery, 'read'>;
  readonly #protocol: LockProtocol;

  constructor(delivery: Pick<Delivery, 'read'>, protocol: LockProtocol) {
    this.#delivery = delivery;
    this.#protocol = protocol;
  }

  async isLocked(): Promise<boolean> {
    // Anybody will do.
    return (await this.#leaseMs(1)) !== -2;
  }

  async remainingLeaseMs(): Promise<number | null> {
    const leaseMs = await this.#leaseMs(INT32_MAX);
    if (leaseMs === -2) {
      return null;
    }
    return leaseMs < 0 ? Number.POSITIVE_INFINITY : leaseMs;
  }

  async holdCount(holderId: string): Promise<number> {
    return await this.#delivery.read(this.#protocol.resource, this.#protocol.holdCount(holderId));
  }

  /** Whoever is there during the whole read is listed once, though a page may show it again. */
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

  /** Reads pages until `see` says that it has seen enough, all within `commandTimeoutMs`. */
  async #pages<P extends Page>(
    build: (cursor: string) => Command<P>,
    see: (page: P) => boolean,
  ): Promise<void> {
    await this.#delivery.read(this.#protocol.resource, build(FIRST_PAGE), (page) =>
      see(page) || page.cursor === LAST_PAGE ? undefined : build(page.cursor),
    );
  }
}
