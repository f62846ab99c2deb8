import { ownLockChannel } from '../base/key-names.js';
import type { EndpointServices } from '../endpoint-services.js';

/** Listens to the own channel of a client for one lock. */
interface Listening {
  readonly stop: () => void;
  /** Changes with each confirmation of the subscription. */
  epoch: number;
}

/**
 * On which channels a client is told of its grants. That is its own channel, for all locks. Where a
 * cluster shards its messages the client has one more for each lock, in the slot of the lock: only there
 * a script can ask who listens, and only from there a message comes of the same server as the grant.
 */
export class GrantChannels {
  readonly #services: EndpointServices;
  readonly #heard: (message: string) => void;
  readonly #missed: (key: string) => void;
  /** By the key of the lock; empty outside of clusters. */
  readonly #listening = new Map<string, Listening>();
  #confirmations = 0;

  /** `heard` gets each message, and `missed` a key about which some may have been missed. */
  constructor(
    services: EndpointServices,
    heard: (message: string) => void,
    missed: (key: string) => void,
  ) {
    this.#services = services;
    this.#heard = heard;
    this.#missed = missed;
    services.ownChannel.onMessage = heard;
  }

  /** From now on this client is told of grants of a lock. */
  listen(key: string): void {
    const { hub, ownChannel } = this.#services;
    if (!this.#hasOneEach) {
      ownChannel.listen();
    } else if (!this.#listening.has(key)) {
      const stop = hub.listen(this.#channel(key), (message) => {
        if (message === undefined) {
          this.#confirmed(key);
        } else {
          this.#heard(message);
        }
      });
      this.#confirmations += 1;
      this.#listening.set(key, { stop, epoch: this.#confirmations });
    }
  }

  /** The same, where the subscription of an earlier wait is still there: messages come at once then. */
  resume(key: string): void {
    const { hub } = this.#services;
    if (this.#hasOneEach && hub.knows(this.#channel(key))) {
      this.listen(key);
    }
  }

  /** Nobody of this client waits for the lock, or has it and wants to hear of others. */
  leave(key: string): void {
    this.#listening.get(key)?.stop();
    this.#listening.delete(key);
  }

  /** No message about the lock is missed. */
  isListening(key: string): boolean {
    const { ownChannel, router } = this.#services;
    return this.#hasOneEach
      ? this.#listening.has(key) && router.channels.isConfirmed(this.#channel(key))
      : ownChannel.isListening;
  }

  /** The server does not let this client listen. */
  isRefused(key: string): boolean {
    const { ownChannel, router } = this.#services;
    return this.#hasOneEach ? router.channels.isRefused(this.#channel(key)) : ownChannel.isRefused;
  }

  /** Changes whenever a connection was made anew, or the lock has moved to another server. */
  epochOf(key: string): number {
    return this.#services.epoch + (this.#listening.get(key)?.epoch ?? 0);
  }

  /** Each lock has a channel of its own, in its slot. */
  get #hasOneEach(): boolean {
    const { isCluster, publish } = this.#services.router;
    return isCluster && publish === 'SPUBLISH';
  }

  #channel(key: string): string {
    return ownLockChannel(this.#services.client.id, key);
  }

  #confirmed(key: string): void {
    const listening = this.#listening.get(key);
    if (listening !== undefined) {
      this.#confirmations += 1;
      listening.epoch = this.#confirmations;
      this.#missed(key);
    }
  }
}
