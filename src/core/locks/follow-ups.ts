import type { Command } from '../wire/call.js';
import type { Clock, Timer } from '../base/clock.js';
import type { Delivery } from '../delivery/delivery.js';
import { ABSENT_MS } from '../base/constants.generated.js';

/** Checks on the waiters of other clients that this client's releases have notified: one of them
 * may have died, and the waiters behind it may do nothing until notified, as Java's. */
export class FollowUps {
  readonly #clock: Clock;
  readonly #delivery: Pick<Delivery, 'start'>;
  readonly #failed: (error: Error) => void;
  readonly #timers = new Map<string, Timer>();
  #isClosed = false;

  constructor(clock: Clock, delivery: Pick<Delivery, 'start'>, failed: (error: Error) => void) {
    this.#clock = clock;
    this.#delivery = delivery;
    this.#failed = failed;
  }

  /** A waiter of another client may have been notified just now. */
  watch(key: string, followUp: () => Command<boolean>): void {
    if (this.#isClosed) {
      // The last answers come in while the client is being closed.
      return;
    }
    this.#timers.get(key)?.cancel();
    const look = (): void => {
      this.#timers.delete(key);
      this.#delivery.start(followUp(), {
        answered: (told) => {
          if (told) {
            this.watch(key, followUp);
          }
        },
        failed: (error) => {
          if (!this.#isClosed) {
            this.#failed(error);
          }
        },
      });
    };
    this.#timers.set(key, this.#clock.after(ABSENT_MS, look));
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) {
      timer.cancel();
    }
    this.#timers.clear();
  }
}
