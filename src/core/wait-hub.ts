import type { Clock, Timer } from './clock.js';

/** A channel stays subscribed this long after its last listener, for those who come right back. */
const LINGER_MS = 1_000;

/** What the hub needs of the connections that listen. */
export interface Channels {
  add(channel: string): void;
  remove(channel: string): void;
}

/** Told that it may be worth looking again: by a message (its payload), or without one after a
 * (re)subscription, since a message may have been missed before. */
export type Listener = (payload: string | undefined) => void;

interface Entry {
  readonly listeners: Set<Listener>;
  linger: Timer | undefined;
}

/** One subscription per channel of a client, however many listen to it. */
export class WaitHub {
  readonly #channels: Channels;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(channels: Channels, clock: Clock) {
    this.#channels = channels;
    this.#clock = clock;
  }

  /** Listens until the returned function is called. The listener is called without payload as
   * soon as the server has confirmed the subscription, unless it had before. */
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

  /** True when a listener that starts now hears every message from now on, or is told later from
   * when on it does. */
  knows(channel: string): boolean {
    return this.#entries.has(channel);
  }

  /** A message came in, or (without payload) a subscription was confirmed. */
  deliver(channel: string, payload: string | undefined): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) {
      for (const listener of entry.listeners) {
        listener(payload);
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
