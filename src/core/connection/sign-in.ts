import { whenSettled } from '../base/async-context.js';
import { wallNow, type Clock, type Timer } from '../base/clock.js';
import { asError } from '../wire/replies.js';
import type { ConnectionOwner } from './connection-owner.js';
import type { Credentials, CredentialsOrigin } from '../base/credentials-options.js';
import { askForCredentials } from './credentials.js';
import type { Redis } from './driver.js';
import type { Address } from './driver-types.js';
import type { Environment } from './environment.js';
import { RetryPause } from './retry-pause.js';

/** So long before credentials run out, at most, others take their place: the source and the server may be slow, or
 * refuse at first. */
const AHEAD_MAX_MS = 60_000;
/** Of the time that is left when they are given, this part is ahead. */
const AHEAD_PART = 1 / 4;
/** Credentials with less time than this, or with none, are used all the same: others are asked for after this time. */
const SOONEST_MS = 1_000;

/** What people are told while the credentials of a connection run out. */
export function cannotSignIn(address: string): string {
  return `a connection to Redis at ${address} cannot sign in again`;
}

/** The connection that signs in. */
interface Signed {
  /** In words. */
  readonly address: string;
  readonly ready: Redis | undefined;
}

type Owner = Pick<ConnectionOwner, 'health' | 'query' | 'replace' | 'trouble'>;

interface Terms {
  readonly credentials: CredentialsOrigin;
  readonly limitMs: number;
}

/** Signs a connection in with credentials that change, and in again before they run out. */
export class SignIn {
  readonly #terms: Terms;
  readonly #clock: Clock;
  readonly #connection: Signed;
  readonly #owner: Owner;
  readonly #pause: RetryPause;
  /** Why the last credentials could not be had; undefined when they could. */
  failure: Error | undefined;
  /** Of the server for which they were asked last. */
  #address: Address = { host: '', port: 0 };
  #expiresAtMs: number | undefined;
  #timer: Timer | undefined;

  constructor(terms: Terms, environment: Environment, connection: Signed, owner: Owner) {
    this.#terms = terms;
    this.#clock = environment.clock;
    this.#connection = connection;
    this.#owner = owner;
    this.#pause = new RetryPause(environment, () => this.#runOut());
  }

  /** Requests credentials for the server at `address`. */
  async ask(address: Address): Promise<Credentials> {
    this.#address = address;
    const { credentials, limitMs } = this.#terms;
    try {
      const given = await askForCredentials(credentials, address, this.#clock, limitMs);
      this.failure = undefined;
      this.#expiresAtMs = given.expiresAtMs;
      return given;
    } catch (error) {
      this.failure = asError(error);
      throw error;
    }
  }

  /** The server has accepted the credentials that were given last. `replaced`: of the connection whose place this one
   * has taken. If its credentials had the same end, the source has no others before that. */
  standing(replaced?: SignIn): void {
    this.over();
    const end = this.#expiresAtMs;
    if (end !== undefined) {
      const leftMs = end - wallNow();
      const isSame = replaced !== undefined && end === replaced.#expiresAtMs;
      const aheadMs = isSame ? 0 : Math.min(leftMs * AHEAD_PART, AHEAD_MAX_MS);
      this.#timer = this.#clock.after(Math.max(leftMs - aheadMs, SOONEST_MS), () => this.#runOut());
    }
  }

  /** The connection has ended, or has signed in anew. */
  over(): void {
    this.#timer?.cancel();
    this.#pause.cancel();
    this.#pause.reset();
    this.#owner.health.up(this.#trouble, this);
  }

  #runOut(): void {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      return;
    }
    if (this.#owner.replace !== undefined) {
      this.#owner.replace();
      return;
    }
    const ifSame = (then: () => void): void => {
      if (this.#connection.ready === redis) {
        then();
      }
    };
    whenSettled(
      this.#again(redis),
      () => ifSame(() => this.standing()),
      (error) => ifSame(() => this.#notNow(error)),
    );
  }

  async #again(redis: Redis): Promise<void> {
    const given = await this.ask(this.#address);
    await this.#owner.query?.(async () => await redis.signIn?.(given));
  }

  /** The connection goes on with what it has until the server ends it. */
  #notNow(error: Error): void {
    this.#owner.health.down(this.#trouble, this, () => error);
    this.#owner.trouble(error);
    this.#pause.begin();
  }

  get #trouble(): string {
    return cannotSignIn(this.#connection.address);
  }
}
