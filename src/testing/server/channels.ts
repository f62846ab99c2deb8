/** How a message comes: of a channel that is subscribed everywhere, or in the slot of its name. */
export type MessageEvent = 'message' | 'smessage';

/** One connection, as the server sees it. */
export interface Session {
  /** The next command may use a slot that is being imported. */
  isAsking: boolean;
  /** Brings a message to the client. */
  message(event: MessageEvent, channel: string, payload: string): void;
  /** The server has ended a subscription, since its slot has moved. */
  moved(): void;
}

const keyOf = (event: MessageEvent, channel: string): string => `${event} ${channel}`;

/** Who listens to which channel. What is published in the one way is not heard in the other. */
export class Channels {
  /** By event and channel. */
  readonly #listeners = new Map<string, Set<Session>>();

  get names(): string[] {
    return [...this.#listeners.keys()].map((key) => key.slice(key.indexOf(' ') + 1));
  }

  add(session: Session, event: MessageEvent, channels: readonly string[]): number {
    for (const channel of channels) {
      const key = keyOf(event, channel);
      const listeners = this.#listeners.get(key);
      if (listeners === undefined) {
        this.#listeners.set(key, new Set([session]));
      } else {
        listeners.add(session);
      }
    }
    return channels.length;
  }

  remove(session: Session, event: MessageEvent, channels: readonly string[]): number {
    for (const channel of channels) {
      this.#remove(session, keyOf(event, channel));
    }
    return channels.length;
  }

  /** The connection has ended. */
  leave(session: Session): void {
    for (const key of this.#listeners.keys()) {
      this.#remove(session, key);
    }
  }

  /** The slots of these channels are served by another node from now on. */
  endShards(isTheirs: (channel: string) => boolean): void {
    for (const [key, listeners] of this.#listeners) {
      const [event = '', channel = ''] = key.split(' ', 2);
      if (event === 'smessage' && isTheirs(channel)) {
        this.#listeners.delete(key);
        for (const session of listeners) {
          session.moved();
        }
      }
    }
  }

  /** Called with each message. */
  published: (channel: string, payload: string) => void = () => {};

  /** Returns how many connections it was sent to, of which some may be dead by now. */
  publish(event: MessageEvent, channel: string, payload: string): number {
    this.published(channel, payload);
    const [, id = ''] = channel.split(':', 2);
    if (this.deaf.has(id) && !payload.startsWith('e')) {
      return 0;
    }
    const listeners = this.#listeners.get(keyOf(event, channel));
    for (const session of listeners ?? []) {
      session.message(event, channel, payload);
    }
    return listeners?.size ?? 0;
  }

  /** Whose channels nobody is seen to listen to, as behind a proxy: the ids of clients. */
  readonly unseen: Set<string> = new Set();
  /** Clients that are not notified of grants either, as without the right to their channel. */
  readonly deaf: Set<string> = new Set();

  listeners(event: MessageEvent, channel: string): number {
    const [, id = ''] = channel.split(':', 2);
    return this.unseen.has(id) ? 0 : this.#count(event, channel);
  }

  #count(event: MessageEvent, channel: string): number {
    return this.#listeners.get(keyOf(event, channel))?.size ?? 0;
  }

  #remove(session: Session, key: string): void {
    const listeners = this.#listeners.get(key);
    listeners?.delete(session);
    if (listeners?.size === 0) {
      this.#listeners.delete(key);
    }
  }
}
