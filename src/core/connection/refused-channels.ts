import type { SubscriberOwner } from './subscriber-owner.js';

/** Reports the channels to which a client may not listen, each once until it may. */
export class RefusedChannels {
  readonly #address: string;
  readonly #owner: Pick<SubscriberOwner, 'health' | 'refused'>;
  /** Not confirmed since. */
  readonly #channels = new Set<string>();

  constructor(address: string, owner: Pick<SubscriberOwner, 'health' | 'refused'>) {
    this.#address = address;
    this.#owner = owner;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  add(channel: string, error: Error): void {
    if (!this.#channels.has(channel)) {
      this.#channels.add(channel);
      this.#owner.health.down(this.#trouble, channel, () => error);
      this.#owner.refused(notAllowed(channel, error));
    }
  }

  /** A channel is not refused any more, or not wanted. */
  admitted(channel: string): void {
    if (this.#channels.delete(channel)) {
      this.#owner.health.up(this.#trouble, channel);
    }
  }

  close(): void {
    for (const channel of this.#channels) {
      this.admitted(channel);
    }
  }

  get #trouble(): string {
    return `Redis at ${this.#address} lets this client not listen to messages`;
  }
}

export function notAllowed(channel: string, cause: Error): Error {
  return new Error(`may not listen to the channel "${channel}": ${cause.message}`, { cause });
}
