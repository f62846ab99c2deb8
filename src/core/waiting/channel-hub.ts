import type { Clock, Timer } from '../base/clock.js';
import type { Channels } from '../connection/router.js';
import { asError } from '../wire/replies.js';
import { FairShare } from './fair-share.js';

/** A channel stays subscribed this long after its last listener, for those who come right back. */
const LINGER_MS = 1_000;

/** Told that it may be worth looking again: by a message (its payload), or without one after a
 * (re)subscription, since a message may have been missed before. */
export type Listener = (payload: string | undefined) => void;

interface Entry {
  readonly listeners: Set<Listener>;
  readonly share: FairShare;
  linger: Timer | undefined;
}

/** One subscription per channel of a client, however many listen to it. */
export class ChannelHub {
  readonly #channels: Channels;
  readonly #clock: Clock;
  readonly #failed: (error: Error) => void;
  readonly #entries = new Map<string, Entry>();
  /** Channels that others were told on, and nobody here listens to. */
  readonly #told = new Map<string, Timer>();
  #isClosed = false;

  /** `failed` is told when a listener throws. */
  constructor(channels: Channels, clock: Clock, failed: (error: Error) => void) {
    this.#channels = channels;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Listens until the returned function is called. The listener is called without payload as
   * soon as the server has confirmed the subscription, unless it had before. */
  listen(channel: string, listener: Listener): () => void {
    let entry = this.#entries.get(channel);
    if (entry === undefined) {
      entry = { listeners: new Set(), share: new FairShare(), linger: undefined };
      this.#entries.set(channel, entry);
      this.#channels.add(channel);
    }
    entry.linger?.cancel();
    entry.linger = undefined;
    entry.listeners.add(listener);
    return () => this.#leave(channel, entry, listener);
  }

  /** True when a listener that starts now hears every message from now on, or is told later from
   * when on it does. */
  knows(channel: string): boolean {
    return this.#entries.has(channel);
  }

  /** A message came in, or (without payload) a subscription was confirmed. */
  deliver(channel: string, payload: string | undefined): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) {
      if (payload !== undefined) {
        entry.share.heard(this.#clock.now());
      }
      for (const listener of entry.listeners) {
        try {
          listener(payload);
        } catch (error) {
          this.#failed(asError(error));
        }
      }
    }
  }

  /** A release is sent that may be told there. */
  releasing(channel: string): void {
    this.#entries.get(channel)?.share.releasing();
  }

  /** The release has freed nothing. */
  kept(channel: string): void {
    this.#entries.get(channel)?.share.kept();
  }

  /** A release of ours was told there, to so many connections. */
  freed(channel: string, receivers: number): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) {
      entry.share.freed(Math.max(0, receivers - 1), this.#clock.now());
    } else if (receivers > 0 && !this.#isClosed) {
      this.#toldOthers(channel);
    }
  }

  /** A client that frees the lock twice in a second while others wait competes with them, and has to
   * hear of their turns. */
  #toldOthers(channel: string): void {
    const before = this.#told.get(channel);
    if (before === undefined) {
      const forget = (): unknown => this.#told.delete(channel);
      this.#told.set(channel, this.#clock.after(LINGER_MS, forget));
    } else {
      before.cancel();
      this.#told.delete(channel);
      this.listen(channel, () => {})();
    }
  }

  /** How long to leave to others what is free there. */
  delayMs(channel: string): number {
    return this.#entries.get(channel)?.share.delayMs(this.#clock.now()) ?? 0;
  }

  close(): void {
    // The last answers come in while the client is being closed.
    this.#isClosed = true;
    for (const entry of this.#entries.values()) {
      entry.linger?.cancel();
    }
    this.#entries.clear();
    for (const timer of this.#told.values()) {
      timer.cancel();
    }
    this.#told.clear();
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
