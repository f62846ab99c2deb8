import { Redis, ReplyError } from 'ioredis';
import type { Credentials } from '../base/credentials-options.js';
import type { ConnectionOptions, RedisOptions } from './driver-types.js';
import { afterTurn, outside, outsider, whenSettled } from '../base/async-context.js';
import type { Operand } from '../wire/script.js';
import { Redactor, REPLY_ERROR } from '../base/redactor.js';
import { isUnclear, whyNoAnswer, type Question } from './probe.js';
import { keepTicking } from './driver-ticks.js';
import { endSentinel, sentinelsOf } from './sentinel-watch.js';
import { scriptHead, type Known } from './script-head.js';
import { signInWith, type Ask } from './sign-in-hook.js';
import { isKnownDriver, takeOver } from './take-over.js';
import { traced } from './tracing.js';
import { headOf, type Answered, type Head, type Wire } from './wire.js';

/** A guarded connection, as the library calls it. */
export type { GuardedConnection as Redis };
export type { Known };

/** The purpose of a connection. One for commands speaks RESP2, and sends them past the driver from `ready` on. */
export type Use = 'commands' | 'messages';

/** One connection, as the library uses it. `connect()` opens it; once it has ended, it stays so. */
export interface GuardedConnection {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'message' | 'smessage', listener: (channel: string, payload: string) => void): void;
  /** `moved`: the server has ended sharded subscriptions by itself, since their slot is elsewhere. */
  on(event: 'connect' | 'ready' | 'end' | 'moved', listener: () => void): void;
  connect(): Promise<void>;
  call(command: string, ...args: readonly (string | readonly string[])[]): Promise<unknown>;
  /** Whether it emits `moved`. */
  readonly reportsMoves: boolean;
  /** Writes one script call: by digest, or with the source on its first use. `answered` is called
   * once at most, never before this returns, and must not throw. */
  sendScript(script: Known, isKnown: boolean, operands: Operand[], answered: Answered): void;
  /** Signs in again; resolves when the server has accepted. */
  signIn?(credentials: Credentials): Promise<unknown>;
  /** Joins the commands of one turn of the event loop into one write, which those past the driver are
   * in any case. */
  cork(): void;
  /** Writes what was joined so far. */
  flush(): void;
  /** True while the other side has accepted a connection and has not finished the handshake of TLS. */
  readonly isInHandshake?: boolean;
  /** Asks the server why an attempt failed with `error`; `isReached`: after `connect`. Undefined where it
   * would not say more. */
  questionAfter?(error: Error, isReached: boolean): Question | undefined;
  /** False for a version of the driver that was not tested: commands go through it, at its cost. */
  readonly isKnownDriver: boolean;
  /** Lets the process end while the connection is idle. */
  unref(): void;
  /** Ends the connection at once: a graceful end would wait for the other side, which on a
   * half-open connection does not answer. */
  destroy(): void;
}

/**
 * One connection of the driver, which passes on only redacted copies of the driver's errors: those
 * carry the command that failed with its arguments, which for signing in are user and password.
 */
class GuardedRedis implements GuardedConnection {
  readonly #driver: Redis;
  readonly #options: ConnectionOptions;
  #redactor: Redactor;
  #isDestroyed = false;
  readonly #use: Use;
  readonly #sentinels: ReadonlySet<Redis>;
  #wire: Wire | undefined;

  constructor(options: ConnectionOptions, redactor: Redactor, use: Use, ask?: Ask) {
    this.#options = options;
    this.#redactor = redactor;
    this.#use = use;
    try {
      this.#driver = new Redis(use === 'commands' ? { ...options, protocol: 2 } : options);
    } catch (error) {
      throw this.#redactor.error(error);
    }
    keepTicking(this.#driver);
    this.#sentinels = sentinelsOf(this.#driver);
    if (ask !== undefined) {
      signInWith(this.#driver, options, async (address) => {
        const given = this.#with(await ask(address));
        if (this.#isDestroyed) {
          throw new Error('Connection is closed.');
        }
        return given;
      });
    }
  }

  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'message' | 'smessage', listener: (channel: string, payload: string) => void): void;
  on(event: 'connect' | 'ready' | 'end' | 'moved', listener: () => void): void;
  on(event: string, listener: (...args: never[]) => void): void {
    // The driver emits `end` in the context of the code that has ended the connection.
    const handler = outsider((...args: unknown[]) => {
      const told = event === 'error' ? [this.#redactor.error(args[0])] : args;
      Reflect.apply(listener, undefined, told);
    });
    const isTakenOver = event === 'ready' && this.#use === 'commands';
    this.#driver.on(event, isTakenOver ? () => this.#takeOver(handler) : handler);
  }

  /** Commands that are sent from `ready` on go past the driver. */
  #takeOver(ready: () => void): void {
    const driver = this.#driver;
    whenSettled(
      takeOver(driver, (error) => this.#redactor.reply(error)),
      (wire) => {
        this.#wire = wire;
        // Bytes behind the last answer may have ended it already.
        if (driver.status === 'ready' && !driver.stream.destroyed) {
          ready();
        }
      },
      (error) => driver.stream.destroy(error),
    );
  }

  connect(): Promise<void> {
    return this.#clean(() => this.#driver.connect());
  }

  call(command: string, ...args: readonly (string | readonly string[])[]): Promise<unknown> {
    const wire = this.#wire;
    return this.#clean(() =>
      wire === undefined
        ? this.#driver.call(command, args.flat())
        : new Promise((resolve, reject) => {
            this.#send(wire, headOf([command, ...args.flat()]), [], (reply, error) =>
              error === undefined ? resolve(reply) : reject(error),
            );
          }),
    );
  }

  get reportsMoves(): boolean {
    moves ??= new Redis({ lazyConnect: true }).options.protocol !== undefined;
    return moves;
  }

  sendScript(script: Known, isKnown: boolean, operands: Operand[], answered: Answered): void {
    if (this.#wire !== undefined) {
      this.#send(this.#wire, scriptHead(script, isKnown), operands, answered);
      return;
    }
    const [name, text] = isKnown ? ['evalsha', script.sha1] : ['eval', script.source];
    whenSettled(
      this.#clean(() => this.#driver.call(name, [text, ...operands])),
      answered,
      (error) => answered(undefined, error),
    );
  }

  async signIn(credentials: Credentials): Promise<void> {
    const { username, password } = this.#with(credentials);
    const parts = ['AUTH', ...(username === undefined ? [] : [username]), password];
    const wire = this.#wire;
    await (wire === undefined
      ? this.#clean(() => this.#driver.call('AUTH', parts.slice(1)))
      : // Tracers are not shown what is secret.
        new Promise<void>((resolve, reject) => {
          wire.send(headOf(parts), [], (_, error) =>
            error === undefined ? resolve() : reject(error),
          );
        }));
  }

  /** Credentials with the user of the template where they name none; errors hide them from now on. */
  #with({ username = this.#options.username, password }: Credentials): Credentials {
    this.#redactor = new Redactor({ ...this.#options, username, password }, isReplyOfDriver);
    return {
      username: typeof username === 'string' && username !== '' ? username : undefined,
      password,
    };
  }

  #send(wire: Wire, head: Head, args: readonly Operand[], answered: Answered): void {
    wire.send(head, args, traced(this.#driver, head.parts, args, answered));
  }

  cork(): void {
    const { stream } = this.#driver;
    if (this.#wire === undefined && stream.writableCorked === 0) {
      stream.cork();
      afterTurn(() => stream.uncork());
    }
  }

  flush(): void {
    this.#wire?.flush();
    this.#driver.stream.uncork();
  }

  get isInHandshake(): boolean {
    const { stream } = this.#driver as { stream?: Redis['stream'] };
    return Boolean(this.#options.tls) && stream?.connecting === false;
  }

  questionAfter(error: Error, isReached: boolean): Question | undefined {
    // A server with TLS that was reached has nothing to say to others.
    const mayTell = isReached !== Boolean(this.#options.tls);
    return mayTell && isUnclear(error)
      ? () => outside(() => whyNoAnswer(this.#options))
      : undefined;
  }

  get isKnownDriver(): boolean {
    return isKnownDriver(this.#driver);
  }

  unref(): void {
    this.#driver.stream.unref();
  }

  destroy(): void {
    const driver = this.#driver;
    this.#isDestroyed = true;
    driver.removeAllListeners();
    // An instance that is still connecting emits an error after its listeners are gone.
    driver.on('error', () => {});
    const { stream } = driver as { stream?: Redis['stream'] };
    driver.disconnect();
    stream?.destroy();
    this.#wire?.close(new Error('Connection is closed.'));
    for (const sentinel of this.#sentinels) {
      endSentinel(sentinel);
    }
  }

  async #clean<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#redactor.error(error);
    }
  }
}

/** Whether the driver reports moves: it does from the version on that speaks RESP3. */
let moves: boolean | undefined;

/** Redactors by options object, which all attempts to connect to one server share. */
const redactors = new WeakMap<ConnectionOptions, Redactor>();

function redactorOf(options: ConnectionOptions): Redactor {
  let redactor = redactors.get(options);
  if (redactor === undefined) {
    redactor = new Redactor(options, isReplyOfDriver);
    redactors.set(options, redactor);
  }
  return redactor;
}

/** The options that a URL stands for; throws a TypeError without the URL when it cannot be read. */
export function optionsOfUrl(url: string): RedisOptions {
  try {
    // The driver's own parser, on a connection that is never opened.
    return new Redis(url, { lazyConnect: true }).options;
  } catch {
    throw new TypeError(
      'redis must be a URL that can be read: special characters of user name and password are ' +
        'percent-encoded, as encodeURIComponent does it',
    );
  }
}

/** Options with which the driver gives up connecting within this time. */
export function withinLimit(options: ConnectionOptions, limitMs: number): ConnectionOptions {
  // For the driver 0 is no limit at all.
  const wanted = options.connectTimeout === 0 ? undefined : options.connectTimeout;
  return { ...options, connectTimeout: Math.min(wanted ?? limitMs, limitMs) };
}

/** Makes a connection of the driver. */
export function createConnection(
  options: ConnectionOptions,
  connectTimeoutMs: number,
  use: Use,
  ask?: Ask,
): GuardedConnection {
  return new GuardedRedis(withinLimit(options, connectTimeoutMs), redactorOf(options), use, ask);
}

const driverReplyError: unknown = ReplyError;

/** An error as the driver makes it of an answer. Its name would be that of its class, which a minified
 * bundle changes. */
function isReplyOfDriver(thrown: object): boolean {
  return typeof driverReplyError === 'function' && thrown instanceof driverReplyError;
}

/** An answer of the server, as opposed to a failure of the connection. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === REPLY_ERROR;
}
