import type { Environment } from './environment.js';
import type { Server } from './connection-owner.js';
import type { Address } from './driver-types.js';
import { isOwnChannel } from '../base/key-names.js';
import { PLAIN, SHARDED } from './channel-kind.js';
import { Subscriber } from './subscriber.js';
import type { Post, SubscriberOwner } from './subscriber-owner.js';
import type { Channels } from './router.js';

/** The owner of the channels of a cluster. */
export interface ClusterChannelsOwner extends SubscriberOwner {
  /** The master that serves the slot of a channel, as far as it is known. */
  masterOf(channel: string): Address | undefined;
  /** The way to a master, its address apart. */
  postAt(address: Address): Omit<Post, 'server'>;
}

/** Listens to each channel on the master of its slot, and follows it when the slot moves. */
export class ClusterSubscriber implements Channels {
  /** The server of each subscriber, its address apart. */
  readonly #server: Server;
  readonly #environment: Environment;
  readonly #owner: ClusterChannelsOwner;
  /** The subscriber of each wanted channel; undefined while its master is not known. */
  readonly #wanted = new Map<string, Subscriber | undefined>();
  readonly #subscribers = new Map<string, Subscriber>();
  /** Whether the cluster can do sharded pub/sub; undefined until it has been asked. */
  #sharded: boolean | undefined;

  constructor(
    { options, readyLimitMs, credentials }: Server,
    environment: Environment,
    owner: ClusterChannelsOwner,
  ) {
    this.#server = { options, readyLimitMs, credentials };
    this.#environment = environment;
    this.#owner = owner;
  }

  add(channel: string): void {
    const subscriber = this.#subscriberOf(channel);
    this.#wanted.set(channel, subscriber);
    subscriber?.add(channel);
  }

  remove(channel: string): void {
    this.#wanted.get(channel)?.remove(channel);
    this.#wanted.delete(channel);
  }

  isConfirmed(channel: string): boolean {
    return this.#wanted.get(channel)?.isConfirmed(channel) === true;
  }

  isRefused(channel: string): boolean {
    return this.#wanted.get(channel)?.isRefused(channel) === true;
  }

  /** The map of slots was read: each channel moves to the master that has its slot now. */
  move(sharded: boolean): void {
    this.#sharded ??= sharded;
    for (const [channel, before] of this.#wanted) {
      const subscriber = this.#subscriberOf(channel);
      if (subscriber !== before) {
        before?.remove(channel);
        this.#wanted.set(channel, subscriber);
        subscriber?.add(channel);
      } else if (before?.isConfirmed(channel) === false && !before.isRefused(channel)) {
        before.add(channel);
      }
    }
    const used = new Set(this.#wanted.values());
    for (const [id, subscriber] of this.#subscribers) {
      if (!used.has(subscriber)) {
        this.#subscribers.delete(id);
        subscriber.close();
      }
    }
  }

  close(): void {
    for (const subscriber of this.#subscribers.values()) {
      subscriber.close();
    }
  }

  #subscriberOf(channel: string): Subscriber | undefined {
    const master = this.#owner.masterOf(channel);
    if (master === undefined || this.#sharded === undefined) {
      return undefined;
    }
    // Messages for one client alone are rare, and their channels in no slot: all nodes get them.
    const kind = this.#sharded && !isOwnChannel(channel) ? SHARDED : PLAIN;
    const id = `${kind.event} ${master.host}:${master.port}`;
    let subscriber = this.#subscribers.get(id);
    if (subscriber === undefined) {
      const server = { ...this.#server, options: { ...this.#server.options, ...master } };
      const post = { ...this.#owner.postAt(master), server };
      subscriber = new Subscriber(post, this.#environment, this.#owner, kind);
      this.#subscribers.set(id, subscriber);
    }
    return subscriber;
  }
}
