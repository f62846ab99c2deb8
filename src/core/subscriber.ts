import type { Clock, Timer } from './clock.js';
import { Connection } from './connection.js';
import type { Server } from './connection.js';
import type { Redis } from './redis.js';

/** A subscriber that stays silent for one period after a ping is taken for half-open. */
const PING_PERIOD_MS = 2_500;

/** Channels named in one SUBSCRIBE; an SSUBSCRIBE can only name channels of one slot. */
const CHANNELS_PER_COMMAND = 500;

/** What the owner of a subscriber is told. */
export interface SubscriberOwner {
  message(channel: string, payload: string): void;
  /** From now on nothing published on `channel` is missed; what came before may have been. */
  confirmed(channel: string): void;
  trouble(error: Error): void;
}

/** One connection that listens to any number of channels, and finds out when it has gone deaf. */
export class Subscriber {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #owner: SubscriberOwner;
  readonly #sharded: boolean;
  /** Channels that are wanted, and whether the server has confirmed them on this connection. */
  readonly #channels = new Map<string, boolean>();
  #ping: Timer | undefined;
  #unansweredPing: Redis | undefined;

  constructor(server: Server, clock: Clock, owner: SubscriberOwner, sharded: boolean) {
    this.#clock = clock;
    this.#owner = owner;
    this.#sharded = sharded;
    this.#connection = new Connection(server, clock, {
      connected: (redis) => this.#connected(redis),
      disconnected: (cause) => this.#disconnected(cause),
      failed: (cause) => owner.trouble(cause),
    });
  }

  add(channel: string): void {
    this.#channels.set(channel, false);
    this.#connection.open();
    const redis = this.#connection.ready;
    if (redis !== undefined) {
      this.#subscribe(redis, [channel]);
    }
    this.#ping ??= this.#schedulePing();
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
    const redis = this.#connection.ready;
    const done = this.#sharded ? redis?.sunsubscribe(channel) : redis?.unsubscribe(channel);
    done?.catch(() => {});
  }

  isConfirmed(channel: string): boolean {
    return this.#channels.get(channel) === true;
  }

  close(): void {
    this.#channels.clear();
    this.#ping?.cancel();
    this.#connection.close();
  }

  #connected(redis: Redis): void {
    this.#unansweredPing = undefined;
    redis.on(this.#sharded ? 'smessage' : 'message', (channel: string, payload: string) => {
      this.#owner.message(channel, payload);
    });
    const channels = [...this.#channels.keys()];
    const step = this.#sharded ? 1 : CHANNELS_PER_COMMAND;
    for (let i = 0; i < channels.length; i += step) {
      this.#subscribe(redis, channels.slice(i, i + step));
    }
  }

  #disconnected(cause: Error): void {
    for (const channel of this.#channels.keys()) {
      this.#channels.set(channel, false);
    }
    this.#owner.trouble(cause);
  }

  #subscribe(redis: Redis, channels: string[]): void {
    const done = this.#sharded ? redis.ssubscribe(...channels) : redis.subscribe(...channels);
    done.then(
      () => {
        for (const channel of channels) {
          if (this.#connection.ready === redis && this.#channels.has(channel)) {
            this.#channels.set(channel, true);
            this.#owner.confirmed(channel);
          }
        }
      },
      // Refused, or moved to another node: waits live on their re-checks until somebody who
      // knows better adds the channel again.
      (error: Error) => this.#owner.trouble(error),
    );
  }

  #schedulePing(): Timer {
    return this.#clock.after(PING_PERIOD_MS, () => {
      this.#ping = undefined;
      if (this.#channels.size > 0) {
        this.#ping = this.#schedulePing();
        this.#clock.afterInput(() => this.#check());
      }
    });
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
    // A rejection is the connection's end, which is told in its own way.
    redis.ping().then(answered, () => {});
  }
}
