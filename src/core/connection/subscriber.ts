import { whenSettled } from '../base/async-context.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';
import { PLAIN, SHARDED, type Kind } from './channel-kind.js';
import { Connection } from './connection.js';
import { isReplyError, type Redis } from './driver.js';
import type { Environment } from './environment.js';
import { Liveness } from './liveness.js';
import { notAllowed, RefusedChannels } from './refused-channels.js';
import type { Post, SubscriberOwner } from './subscriber-owner.js';
import { retire, Successor } from './successor.js';
import { identify } from './server-check.js';
import { isNoRight } from './error-answers.js';

/** How often a connection has to prove that it hears messages. */
const PERIOD_MS = 2_500;

/** Channels named in one SUBSCRIBE; an SSUBSCRIBE can only name channels of one slot. */
const CHANNELS_PER_COMMAND = 500;

/** So many channels are confirmed again in one period, where the driver does not report their end. */
const CONFIRMED_AGAIN_MAX = 100;

/** One connection that listens to any number of channels, and finds out when it does not hear them. */
export class Subscriber {
  #connection: Connection;
  /** Takes its place when its credentials run out. */
  #successor: Successor | undefined;
  /** The one before, while it may bring messages. */
  #retired: Connection | undefined;
  readonly #environment: Environment;
  readonly #post: Post;
  readonly #owner: SubscriberOwner;
  readonly #kind: Kind;
  /** Channels that are wanted, and whether the server has confirmed them on this connection. */
  readonly #channels = new Map<string, boolean>();
  readonly #refused: RefusedChannels;
  readonly #periods: DeadlineQueue;
  readonly #nextPeriod = new Limit(() => this.#periodEnded());
  readonly #liveness: Liveness;

  constructor(post: Post, environment: Environment, owner: SubscriberOwner, kind: Kind = PLAIN) {
    this.#post = post;
    this.#environment = environment;
    this.#owner = owner;
    this.#kind = kind;
    this.#periods = new DeadlineQueue(environment.clock, PERIOD_MS);
    this.#liveness = new Liveness(environment, kind, {
      beside: () => [...this.#channels].find(([, isConfirmed]) => isConfirmed)?.[0],
      publish: (channel, payload) => post.publish(kind.publish, channel, payload),
      refused: (channel, error) => owner.refused(notAllowed(channel, error)),
    });
    this.#connection = this.#newConnection();
    this.#refused = new RefusedChannels(this.#connection.address, owner);
  }

  #newConnection(): Connection {
    const owner = this.#owner;
    const connection: Connection = new Connection(this.#post.server, this.#environment, {
      connected: (redis) => this.#connected(redis),
      disconnected: (cause) => this.#disconnected(connection, cause),
      failed: (cause) => owner.trouble(cause),
      fault: (error) => owner.fault(error),
      trouble: (error) => owner.trouble(error),
      replace: () => this.#replace(connection),
      health: owner.health,
      oneServer: this.#post.oneServer,
      examine: identify,
      examined: () => {},
      prove: () => this.#liveness.prove(this.#connection.ready),
      use: 'messages',
    });
    return connection;
  }

  add(channel: string): void {
    this.#channels.set(channel, false);
    this.#connection.open();
    this.#successor?.add(channel);
    for (const connection of this.#connections) {
      if (connection.ready !== undefined) {
        this.#subscribe(connection.ready, [channel]);
      }
    }
    if (this.#nextPeriod.list === undefined) {
      this.#periods.add(this.#nextPeriod);
    }
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
    this.#refused.admitted(channel);
    for (const connection of this.#connections) {
      // Where it fails the connection has ended.
      connection.ready?.call(this.#kind.unsubscribe, channel).catch(() => {});
    }
    this.#liveness.left(channel, this.#connection.ready);
    this.#successor?.settled(channel);
  }

  isConfirmed(channel: string): boolean {
    return this.#channels.get(channel) === true;
  }

  /** True when the server would refuse the channel again on this connection. */
  isRefused(channel: string): boolean {
    return this.#refused.has(channel);
  }

  close(): void {
    this.#refused.close();
    this.#channels.clear();
    this.#periods.close();
    for (const each of [this.#retired, this.#successor, this.#connection]) {
      each?.close();
    }
  }

  /** The one that is in use, and its successor. */
  get #connections(): readonly Connection[] {
    const successor = this.#successor;
    return successor === undefined ? [this.#connection] : [this.#connection, successor.connection];
  }

  #isSuccessor(redis: Redis): boolean {
    return this.#successor?.connection.ready === redis;
  }

  #connected(redis: Redis): void {
    redis.on(this.#kind.event, (channel, payload) => {
      // What a successor hears the connection in use hears, too.
      if (!this.#isSuccessor(redis) && !this.#liveness.heard(channel, payload)) {
        this.#owner.message(channel, payload);
      }
    });
    redis.on('moved', () => this.#moved(redis));
    const channels = [...this.#channels.keys()];
    if (this.#isSuccessor(redis)) {
      this.#successor?.connected(redis, channels);
    }
    const size = this.#kind === SHARDED ? 1 : CHANNELS_PER_COMMAND;
    for (let i = 0; i < channels.length; i += size) {
      this.#subscribe(redis, channels.slice(i, i + size));
    }
  }

  #disconnected(connection: Connection, cause: Error): void {
    if (connection === this.#connection) {
      // The next attempt signs in anew.
      this.#successor?.close();
      this.#successor = undefined;
      this.#nothingConfirmed();
    }
    if (this.#connections.includes(connection)) {
      this.#owner.trouble(cause);
    }
  }

  /** The credentials of a connection run out. */
  #replace(last: Connection): void {
    // Those of a successor count from when it has taken the place.
    if (last === this.#connection && this.#successor === undefined) {
      const { clock } = this.#environment;
      const { readyLimitMs } = this.#post.server;
      const next = this.#newConnection();
      this.#successor = new Successor(next, clock, readyLimitMs, () => this.#succeed());
    }
  }

  /** The server has confirmed all channels of the successor. */
  #succeed(): void {
    const [last, successor] = [this.#connection, this.#successor];
    const [redis, next] = [last.ready, successor?.connection.ready];
    if (successor === undefined || redis === undefined || next === undefined) {
      return;
    }
    this.#successor = undefined;
    [this.#retired, this.#connection] = [last, successor.connection];
    this.#connection.hasReplaced(last);
    this.#liveness.reset();
    retire(last, redis, this.#environment.clock, () => this.#missed());
    // Those that are added meanwhile are subscribed to on the new one.
    const channels = [...this.#channels.keys()];
    for (const channel of channels) {
      const refusal = successor.refused.get(channel);
      if (refusal === undefined) {
        this.#confirmed(next, [channel]);
      } else {
        this.#channels.set(channel, false);
        this.#failed(next, [channel], refusal);
      }
    }
  }

  /** Messages may not have come through that were published before now. */
  #missed(): void {
    for (const [channel, isConfirmed] of this.#channels) {
      if (isConfirmed) {
        this.#owner.confirmed(channel);
      }
    }
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

  #confirmed(redis: Redis, channels: readonly string[]): void {
    for (const channel of channels) {
      if (this.#isSuccessor(redis)) {
        this.#successor?.settled(channel);
      } else if (this.#connection.ready === redis && this.#channels.get(channel) === false) {
        this.#channels.set(channel, true);
        this.#refused.admitted(channel);
        this.#owner.confirmed(channel);
      }
    }
  }

  #failed(redis: Redis, channels: readonly string[], error: Error): void {
    const [channel = ''] = channels;
    if (!this.#connections.some(({ ready }) => ready === redis)) {
      // Its end was reported, or another connection has taken its place.
    } else if (channels.length > 1 && isReplyError(error)) {
      // The server refuses all channels because of one: each is subscribed by itself.
      redis.cork();
      for (const each of channels.filter((other) => this.#channels.has(other))) {
        this.#subscribe(redis, [each]);
      }
    } else if (this.#isSuccessor(redis)) {
      this.#successor?.settled(channel, error);
    } else if (error.message.startsWith('MOVED ')) {
      this.#elsewhere(channel);
    } else if (channels.length > 1 || !isNoRight(error)) {
      // As when the slot is moving: waiters depend on their polls until the channel is added again.
      this.#owner.trouble(error);
    } else if (this.#channels.has(channel)) {
      this.#refused.add(channel, error);
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
    if (this.#isSuccessor(redis)) {
      this.#successor?.connection.drop(redis, new Error('its channels have moved'));
    } else if (this.#connection.ready === redis) {
      this.#nothingConfirmed();
      this.#post.moved();
    }
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
