import { whenSettled } from '../base/async-context.js';
import type { Clock } from '../base/clock.js';
import { selfChannel } from '../base/key-names.js';
import { SHARDED, type Kind } from './channel-kind.js';
import { isReplyError, type Redis } from './driver.js';
import type { Environment } from './environment.js';
import { isNoRight } from './error-answers.js';

/** A message that the server has accepted arrives within this time, or the connection is deaf. */
const HEARD_WITHIN_MS = 1_000;

/** The subscriber of the connection. */
export interface LivenessOwner {
  /** A channel that the server has confirmed. */
  beside(): string | undefined;
  /** Publishes by another connection; rejects unless the server has accepted the message. */
  publish(channel: string, payload: string): Promise<unknown>;
  /** The user may not listen to a channel. */
  refused(channel: string, error: Error): void;
}

/** The channel of the messages of a connection to itself; a sharded one is in the slot of another channel. */
interface Self {
  readonly channel: string;
  readonly beside: string;
  isConfirmed: boolean;
}

/**
 * Finds out whether a connection still hears messages: by a PING, and by a message to itself on a channel
 * that nobody else uses. A PING alone proves less: a driver that drops all messages passes its answer on,
 * and a server that was the master until a failover answers it.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #kind: Kind;
  readonly #owner: LivenessOwner;
  /** Nobody else has it. */
  readonly #id: string;
  /** The connection that has not answered the last PING. */
  #unanswered: Redis | undefined;
  #self: Self | undefined;
  /** Number of the message that is to be heard; it moves on when that was heard, or proves nothing any more. */
  #number = 0;
  /** When the server has accepted the last message, as long as that was not heard. */
  #acceptedAt: number | undefined;
  /** The user may not listen to the channel, which was reported. */
  #isDeafByRight = false;
  /** The user may not publish to it. */
  #isMute = false;

  constructor({ clock, random }: Environment, kind: Kind, owner: LivenessOwner) {
    this.#clock = clock;
    this.#id = random.uuid();
    this.#kind = kind;
    this.#owner = owner;
  }

  /** The connection is a new one, or has lost channels. */
  reset(): void {
    this.#unanswered = undefined;
    this.#isMute = false;
    this.#self = undefined;
    this.#settle();
  }

  /** Why the connection counts as dead; undefined while it does not. */
  get failure(): Error | undefined {
    if (this.#unanswered !== undefined) {
      return new Error('the subscriber connection does not answer');
    }
    const acceptedAt = this.#acceptedAt ?? Number.POSITIVE_INFINITY;
    return this.#clock.now() - acceptedAt >= HEARD_WITHIN_MS
      ? new Error('the subscriber connection hears no messages')
      : undefined;
  }

  ping(redis: Redis): void {
    this.#unanswered = redis;
    const answered = (): void => {
      // That of an earlier connection proves nothing.
      if (this.#unanswered === redis) {
        this.#unanswered = undefined;
      }
    };
    // In lower case: in any other, iovalkey refuses to send it on a connection that listens.
    whenSettled(redis.call('ping'), answered, (error) => {
      // Each reply is an answer: MISCONF, or NOPERM. The end of the connection is reported separately.
      if (isReplyError(error)) {
        answered();
      }
    });
  }

  /** Sends a message to the connection itself, if there is one, unless the last one is still to be heard. */
  prove(redis: Redis | undefined): void {
    if (redis === undefined) {
      return;
    }
    if (this.#self === undefined) {
      this.#listen(redis);
    } else if (this.#self.isConfirmed && !this.#isMute && this.#acceptedAt === undefined) {
      this.#send(this.#self.channel);
    }
  }

  /** A message has arrived; false when it is not about this. */
  heard(channel: string, payload: string): boolean {
    if (channel !== this.#self?.channel) {
      return false;
    }
    if (payload === String(this.#number)) {
      this.#settle();
    }
    return true;
  }

  /** A channel of the connection is not wanted any more. */
  left(channel: string, redis: Redis | undefined): void {
    const self = this.#self;
    if (self?.beside === channel) {
      redis?.call(this.#kind.unsubscribe, self.channel).catch(() => {});
      this.#self = undefined;
      this.#settle();
    }
  }

  /** No message is to be heard. */
  #settle(): void {
    this.#number += 1;
    this.#acceptedAt = undefined;
  }

  #listen(redis: Redis): void {
    const beside = this.#isDeafByRight ? undefined : this.#owner.beside();
    if (beside === undefined) {
      return;
    }
    const channel = selfChannel(this.#id, this.#kind === SHARDED ? beside : undefined);
    const self: Self = { channel, beside, isConfirmed: false };
    this.#self = self;
    whenSettled(
      redis.call(this.#kind.subscribe, channel),
      () => {
        if (this.#self === self) {
          self.isConfirmed = true;
          this.prove(redis);
        }
      },
      (error) => {
        if (this.#self === self) {
          this.#self = undefined;
        }
        if (isNoRight(error) && !this.#isDeafByRight) {
          this.#isDeafByRight = true;
          this.#owner.refused(channel, error);
        }
      },
    );
  }

  #send(channel: string): void {
    this.#settle();
    const number = this.#number;
    whenSettled(
      this.#owner.publish(channel, String(number)),
      () => {
        if (number === this.#number) {
          this.#acceptedAt = this.#clock.now();
        }
      },
      (error) => {
        if (number === this.#number) {
          this.#isMute = isNoRight(error);
        }
      },
    );
  }
}
