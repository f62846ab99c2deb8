import { Connection, type Server } from './connection.js';
import { DeadlineQueue, Limit } from '../base/deadline-queue.js';
import { isReplyError, type Redis } from './driver.js';
import type { Environment } from './environment.js';
import type { Health } from '../observe/troubles.js';
import { whenSettled } from '../base/async-context.js';
import { isAccessRefused } from './server-errors.js';

/** A connection that leaves a ping unanswered for one period counts as half-open. */
const PING_PERIOD_MS = 2_500;

/** Channels named in one SUBSCRIBE; an SSUBSCRIBE can only name channels of one slot. */
const CHANNELS_PER_COMMAND = 500;

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

/** One connection that listens to any number of channels, and finds out when it is half-open. */
export class Subscriber {
  readonly #connection: Connection;
  readonly #owner: SubscriberOwner;
  readonly #isSharded: (channel: string) => boolean;
  /** Channels that are wanted, and whether the server has confirmed them on this connection. */
  readonly #channels = new Map<string, boolean>();
  /** Channels whose refusal was reported, and which were not confirmed since. */
  readonly #refused = new Set<string>();
  readonly #pings: DeadlineQueue;
  readonly #nextPing = new Limit(() => this.#pingAgain());
  #unansweredPing: Redis | undefined;

  constructor(
    server: Server,
    environment: Environment,
    owner: SubscriberOwner,
    isSharded: (channel: string) => boolean,
  ) {
    this.#owner = owner;
    this.#isSharded = isSharded;
    this.#pings = new DeadlineQueue(environment.clock, PING_PERIOD_MS);
    this.#connection = new Connection(server, environment, {
      connected: (redis) => this.#connected(redis),
      disconnected: (cause) => this.#disconnected(cause),
      failed: (cause) => owner.trouble(cause),
      fault: (error) => owner.fault(error),
      health: owner.health,
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
    if (this.#nextPing.list === undefined) {
      this.#pings.add(this.#nextPing);
    }
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
    this.#admitted(channel);
    const redis = this.#connection.ready;
    const done = this.#isSharded(channel)
      ? redis?.sunsubscribe(channel)
      : redis?.unsubscribe(channel);
    done?.catch(() => {});
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
    this.#pings.close();
    this.#connection.close();
  }

  #connected(redis: Redis): void {
    this.#unansweredPing = undefined;
    const heard = (channel: string, payload: string): void => this.#owner.message(channel, payload);
    redis.on('message', heard);
    redis.on('smessage', heard);
    const plain: string[] = [];
    for (const channel of this.#channels.keys()) {
      if (this.#isSharded(channel)) {
        this.#subscribe(redis, [channel]);
      } else {
        plain.push(channel);
      }
    }
    for (let i = 0; i < plain.length; i += CHANNELS_PER_COMMAND) {
      this.#subscribe(redis, plain.slice(i, i + CHANNELS_PER_COMMAND));
    }
  }

  #disconnected(cause: Error): void {
    for (const channel of this.#channels.keys()) {
      this.#channels.set(channel, false);
    }
    this.#owner.trouble(cause);
  }

  #subscribe(redis: Redis, channels: string[]): void {
    whenSettled(
      redis.call(this.#isSharded(channels[0] ?? '') ? 'ssubscribe' : 'subscribe', channels),
      () => this.#confirmed(redis, channels),
      (error) => this.#failed(redis, channels, error),
    );
  }

  #confirmed(redis: Redis, channels: readonly string[]): void {
    for (const channel of channels) {
      if (this.#connection.ready === redis && this.#channels.has(channel)) {
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
    } else if (channels.length > 1 || !isAccessRefused(error)) {
      // The connection has ended, or the slot has moved: waiters depend on their polls until the
      // channel is added again.
      this.#owner.trouble(error);
    } else if (this.#channels.has(channel) && !this.#refused.has(channel)) {
      this.#refused.add(channel);
      this.#owner.health.down(this.#trouble, channel, () => error);
      const message = `may not listen to the channel "${channel}": ${error.message}`;
      this.#owner.refused(new Error(message, { cause: error }));
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

  #pingAgain(): void {
    if (this.#channels.size > 0) {
      this.#pings.add(this.#nextPing);
      this.#check();
    }
  }

  #check(): void {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      return;
    }
    if (this.#unansweredPing === redis) {
      this.#connection.drop(redis, new Error('the subscriber connection does not answer'));
      return;
    }
    this.#unansweredPing = redis;
    const answered = (): void => {
      if (this.#unansweredPing === redis) {
        this.#unansweredPing = undefined;
      }
    };
    // A ping is rejected when the connection ends, which is reported separately.
    whenSettled(redis.ping(), answered, () => {});
  }
}
