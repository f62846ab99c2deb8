import { whenSettled } from '../base/async-context.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';
import type { Health } from '../observe/troubles.js';
import { PLAIN, SHARDED, type Kind } from './channel-kind.js';
import { Connection, type Server } from './connection.js';
import { isReplyError, type Redis } from './driver.js';
import type { Environment } from './environment.js';
import { Liveness } from './liveness.js';
import type { OneServer } from './one-server.js';
import { identify } from './server-check.js';
import { isAccessRefused } from './server-errors.js';

/** How often a connection has to prove that it hears messages. */
const PERIOD_MS = 2_500;

/** Channels named in one SUBSCRIBE; an SSUBSCRIBE can only name channels of one slot. */
const CHANNELS_PER_COMMAND = 500;

/** So many channels are confirmed again in one period, where the driver does not report their end. */
const CONFIRMED_AGAIN_MAX = 100;

/** The owner of a subscriber. */
export interface SubscriberOwner {
  readonly health: Health;
  message(channel: string, payload: string): void;
  /** From now on no message on `channel` is missed; earlier ones may have been. */
  confirmed(channel: string): void;
  trouble(error: Error): void;
  /** The server refuses a channel, and will do so until the user is given the right to it. */
  refused(error: Error): void;
  /** Code of this client threw. The error is reported, and the connection goes on. */
  fault(error: Error): void;
}

/** The server of a subscriber, and what else there is between it and this client. */
export interface Post {
  readonly server: Server;
  readonly oneServer: OneServer;
  /** Publishes by the command connection; rejects unless the server has accepted the message. */
  publish(command: Kind['publish'], channel: string, payload: string): Promise<unknown>;
  /** Channels are in slots that this server serves no more. */
  moved(): void;
}

/** One connection that listens to any number of channels, and finds out when it does not hear them. */
export class Subscriber {
  readonly #connection: Connection;
  readonly #post: Post;
  readonly #owner: SubscriberOwner;
  readonly #kind: Kind;
  /** Channels that are wanted, and whether the server has confirmed them on this connection. */
  readonly #channels = new Map<string, boolean>();
  /** Channels whose refusal was reported, and which were not confirmed since. */
  readonly #refused = new Set<string>();
  readonly #periods: DeadlineQueue;
  readonly #nextPeriod = new Limit(() => this.#periodEnded());
  readonly #liveness: Liveness;

  constructor(post: Post, environment: Environment, owner: SubscriberOwner, kind: Kind = PLAIN) {
    this.#post = post;
    this.#owner = owner;
    this.#kind = kind;
    this.#periods = new DeadlineQueue(environment.clock, PERIOD_MS);
    this.#liveness = new Liveness(environment, kind, {
      beside: () => [...this.#channels].find(([, isConfirmed]) => isConfirmed)?.[0],
      publish: (channel, payload) => post.publish(kind.publish, channel, payload),
      refused: (channel, error) => owner.refused(notAllowed(channel, error)),
    });
    this.#connection = new Connection(post.server, environment, {
      connected: (redis) => this.#connected(redis),
      disconnected: (cause) => this.#disconnected(cause),
      failed: (cause) => owner.trouble(cause),
      fault: (error) => owner.fault(error),
      health: owner.health,
      oneServer: post.oneServer,
      examine: identify,
      prove: () => this.#prove(),
      use: 'messages',
    });
  }

  add(channel: string): void {
    this.#channels.set(channel, false);
    this.#connection.open();
    const redis = this.#connection.ready;
    if (redis !== undefined) {
      this.#subscribe(redis, [channel]);
    }
    if (this.#nextPeriod.list === undefined) {
      this.#periods.add(this.#nextPeriod);
    }
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
    this.#admitted(channel);
    this.#unsubscribe(channel);
    this.#liveness.left(channel, this.#connection.ready);
  }

  isConfirmed(channel: string): boolean {
    return this.#channels.get(channel) === true;
  }

  /** True when the server would refuse the channel again on this connection. */
  isRefused(channel: string): boolean {
    return this.#refused.has(channel);
  }

  close(): void {
    for (const channel of this.#refused) {
      this.#admitted(channel);
    }
    this.#channels.clear();
    this.#periods.close();
    this.#connection.close();
  }

  #prove(): void {
    const redis = this.#connection.ready;
    if (redis !== undefined) {
      this.#liveness.prove(redis);
    }
  }

  #connected(redis: Redis): void {
    redis.on(this.#kind.event, (channel, payload) => {
      if (!this.#liveness.heard(channel, payload)) {
        this.#owner.message(channel, payload);
      }
    });
    redis.on('moved', () => this.#moved(redis));
    const channels = [...this.#channels.keys()];
    const size = this.#kind === SHARDED ? 1 : CHANNELS_PER_COMMAND;
    for (let i = 0; i < channels.length; i += size) {
      this.#subscribe(redis, channels.slice(i, i + size));
    }
  }

  #disconnected(cause: Error): void {
    this.#nothingConfirmed();
    this.#owner.trouble(cause);
  }

  #nothingConfirmed(): void {
    for (const channel of this.#channels.keys()) {
      this.#channels.set(channel, false);
    }
    this.#liveness.reset();
  }

  #subscribe(redis: Redis, channels: string[]): void {
    whenSettled(
      redis.call(this.#kind.subscribe, channels),
      () => this.#confirmed(redis, channels),
      (error) => this.#failed(redis, channels, error),
    );
  }

  #unsubscribe(channel: string): void {
    // Where it fails the connection has ended.
    this.#connection.ready?.call(this.#kind.unsubscribe, channel).catch(() => {});
  }

  #confirmed(redis: Redis, channels: readonly string[]): void {
    for (const channel of channels) {
      if (this.#connection.ready === redis && this.#channels.get(channel) === false) {
        this.#channels.set(channel, true);
        this.#admitted(channel);
        this.#owner.confirmed(channel);
      }
    }
  }

  #failed(redis: Redis, channels: readonly string[], error: Error): void {
    const [channel = ''] = channels;
    if (channels.length > 1 && isReplyError(error) && this.#connection.ready === redis) {
      // The server refuses all channels because of one: each is subscribed by itself.
      redis.cork();
      for (const each of channels.filter((other) => this.#channels.has(other))) {
        this.#subscribe(redis, [each]);
      }
    } else if (error.message.startsWith('MOVED ')) {
      this.#elsewhere(channel);
    } else if (channels.length > 1 || !isAccessRefused(error)) {
      // The connection has ended, or the slot is moving: waiters depend on their polls until the
      // channel is added again.
      this.#owner.trouble(error);
    } else if (this.#channels.has(channel) && !this.#refused.has(channel)) {
      this.#refused.add(channel);
      this.#owner.health.down(this.#trouble, channel, () => error);
      this.#owner.refused(notAllowed(channel, error));
    }
  }

  /** The slot of a channel is served by another server. */
  #elsewhere(channel: string): void {
    if (this.#channels.has(channel)) {
      this.#channels.set(channel, false);
      this.#post.moved();
    }
  }

  /** The server has ended some subscriptions by itself: the driver does not report which. */
  #moved(redis: Redis): void {
    if (this.#connection.ready === redis) {
      this.#nothingConfirmed();
      this.#post.moved();
    }
  }

  /** A channel is not refused any more, or not wanted. */
  #admitted(channel: string): void {
    if (this.#refused.delete(channel)) {
      this.#owner.health.up(this.#trouble, channel);
    }
  }

  get #trouble(): string {
    return `Redis at ${this.#connection.address} lets this client not listen to messages`;
  }

  #periodEnded(): void {
    if (this.#channels.size === 0) {
      return;
    }
    this.#periods.add(this.#nextPeriod);
    const redis = this.#connection.ready;
    if (redis === undefined) {
      return;
    }
    const { failure } = this.#liveness;
    if (failure !== undefined) {
      this.#connection.drop(redis, failure);
      return;
    }
    this.#liveness.ping(redis);
    this.#liveness.prove(redis);
    if (this.#kind === SHARDED && !redis.reportsMoves) {
      this.#confirmAgain(redis);
    }
  }

  /** Finds channels that the server has ended by itself, the ones first that were confirmed long ago. */
  #confirmAgain(redis: Redis): void {
    const confirmed = [...this.#channels].filter(([, isConfirmed]) => isConfirmed);
    for (const [channel] of confirmed.slice(0, CONFIRMED_AGAIN_MAX)) {
      this.#channels.delete(channel);
      this.#channels.set(channel, true);
      this.#subscribe(redis, [channel]);
    }
  }
}

function notAllowed(channel: string, cause: Error): Error {
  return new Error(`may not listen to the channel "${channel}": ${cause.message}`, { cause });
}
