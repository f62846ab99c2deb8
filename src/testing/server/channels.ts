/** One connection, as the server sees it. */
export interface Session {
  /** The next command may use a slot that is being imported. */
  isAsking: boolean;
  /** Brings a message to the client. */
  message(channel: string, payload: string): void;
}

/** Who listens to which channel. */
export class Channels {
  readonly #listeners = new Map<string, Set<Session>>();

  get names(): string[] {
    return [...this.#listeners.keys()];
  }

  add(session: Session, channels: readonly string[]): number {
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel);
      if (listeners === undefined) {
        this.#listeners.set(channel, new Set([session]));
      } else {
        listeners.add(session);
      }
    }
    return channels.length;
  }

  remove(session: Session, channels: readonly string[] = this.names): number {
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel);
      listeners?.delete(session);
      if (listeners?.size === 0) {
        this.#listeners.delete(channel);
      }
    }
    return channels.length;
  }

  clear(): void {
    this.#listeners.clear();
  }

  /** Returns how many connections it was sent to, of which some may be dead by now. */
  publish(channel: string, payload: string): number {
    const listeners = this.#listeners.get(channel);
    for (const session of listeners ?? []) {
      session.message(channel, payload);
    }
    return listeners?.size ?? 0;
  }
}
