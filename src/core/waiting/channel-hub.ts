import type { Clock, Timer } from '../base/clock.js';
import type { Channels } from '../connection/router.js';
import { asError } from '../wire/replies.js';

/** A channel stays subscribed this long after its last listener has left: one may soon return. */
const LINGER_MS = 1_000;

/** Gets each wake-up: the payload of a message, or undefined after a (re)subscription, since a
 * message may have been missed before. */
export type Listener = (payload: string | undefined) => void;

interface Entry {
  readonly listeners: Set<Listener>;
  linger: Timer | undefined;
}

/** One subscription per channel of a client, however many listen to it. */
export class ChannelHub {
  readonly #channels: Channels;
  readonly #clock: Clock;
  readonly #failed: (error: Error) => void;
  readonly #entries = new Map<string, Entry>();

  /** `failed` is told when a listener throws. */
  constructor(channels: Channels, clock: Clock, failed: (error: Error) => void) {
    this.#channels = channels;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Listens until the returned function is called. The listener is called without payload as
   * soon as the server confirms the subscription, unless it has confirmed it before. */
  listen(channel: string, listener: Listener): () => void {
    let entry = this.#entries.get(channel);
    if (entry === undefined) {
      entry = { listeners: new Set(), linger: undefined };
      this.#entries.set(channel, entry);
      this.#channels.add(channel);
    }
    entry.linger?.cancel();
    entry.linger = undefined;
    entry.listeners.add(listener);
    return () => this.#leave(channel, entry, listener);
  }

  /** True when the channel is subscribed, or is being subscribed. In the second case a new listener
   * is called without payload once the server has confirmed the subscription. */
  knows(channel: string): boolean {
    return this.#entries.has(channel);
  }

  /** A message came in, or (without payload) a subscription was confirmed. */
  deliver(channel: string, payload: string | undefined): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) {
      for (const listener of entry.listeners) {
        try {
          listener(payload);
        } catch (error) {
          this.#failed(asError(error));
        }
      }
    }
  }

  close(): void {
    for (const entry of this.#entries.values()) {
      entry.linger?.cancel();
    }
    this.#entries.clear();
  }

  #leave(channel: string, entry: Entry, listener: Listener): void {
    entry.listeners.delete(listener);
    if (entry.listeners.size > 0 || this.#entries.get(channel) !== entry) {
      return;
    }
    entry.linger?.cancel();
    entry.linger = this.#clock.after(LINGER_MS, () => {
      this.#entries.delete(channel);
      this.#channels.remove(channel);
    });
  }
}
