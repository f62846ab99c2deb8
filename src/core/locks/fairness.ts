import type { Clock, Timer } from '../base/clock.js';
import type { ReleaseResult } from '../grant/release.js';
import type { ChannelHub } from '../waiting/channel-hub.js';
import { FairShare } from './fair-share.js';

/** A client that frees a lock twice within this time, while others listen, competes with them. */
const COMPETES_MS = 1_000;

/**
 * Keeps one client from starving other processes where waiters race for a lock: it learns of
 * releases and messages, and says when to leave the lock to others. A lock has a share from
 * the first release of this client, as long as its channel is subscribed.
 */
export class Fairness {
  readonly #hub: ChannelHub;
  readonly #clock: Clock;
  readonly #shares = new Map<string, FairShare>();
  /** Channels on which only others were notified lately: no waiter of this client listens. */
  readonly #others = new Map<string, Timer>();
  #isClosed = false;

  constructor(hub: ChannelHub, clock: Clock) {
    this.#hub = hub;
    this.#clock = clock;
    hub.observer = {
      heard: (channel) => this.#shares.get(channel)?.heard(clock.now()),
      left: (channel) => this.#shares.delete(channel),
    };
  }

  /** A release is sent that may free the lock. */
  releasing(channel: string): void {
    this.#shareOf(channel)?.releasing();
  }

  /** That release was answered. */
  released(channel: string, result: ReleaseResult): void {
    const share = this.#shares.get(channel);
    if (result.is !== 'freed') {
      share?.kept();
    } else if (share !== undefined) {
      // One of the notified connections is this client's.
      share.freed(Math.max(0, result.receivers - 1), this.#clock.now());
    } else if (result.receivers > 0 && !this.#isClosed) {
      this.#notifiedOthers(channel);
    }
  }

  /** How many ms more to leave the lock to others. */
  delayMs(channel: string): number {
    return this.#shares.get(channel)?.delayMs(this.#clock.now()) ?? 0;
  }

  close(): void {
    // The last answers come in while the client is being closed.
    this.#isClosed = true;
    this.#hub.observer = undefined;
    for (const timer of this.#others.values()) {
      timer.cancel();
    }
    this.#shares.clear();
  }

  /** A second such release within a second competes with the others: listen for their releases. */
  #notifiedOthers(channel: string): void {
    const before = this.#others.get(channel);
    if (before === undefined) {
      const forget = (): unknown => this.#others.delete(channel);
      this.#others.set(channel, this.#clock.after(COMPETES_MS, forget));
    } else {
      before.cancel();
      this.#others.delete(channel);
      // The channel stays subscribed for as long as it lingers.
      this.#hub.listen(channel, () => {})();
    }
  }

  #shareOf(channel: string): FairShare | undefined {
    let share = this.#shares.get(channel);
    if (share === undefined && this.#hub.knows(channel) && !this.#isClosed) {
      share = new FairShare();
      this.#shares.set(channel, share);
    }
    return share;
  }
}
