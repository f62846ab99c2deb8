import { Redis } from 'ioredis';
import type { Cluster, ClusterOptions, RedisOptions } from 'ioredis';
import { afterTurn, outsider } from '../base/async-context.js';
import type { Operand } from '../wire/script.js';
import { ScriptCommand, type Answered } from './script-command.js';
import { Redactor } from '../base/redactor.js';

export type { Cluster, ClusterOptions, RedisOptions };
/** The class of the driver, for reading templates only, and a guarded connection for all else. */
export type { Redis as DriverRedis, GuardedConnection as Redis };

/**
 * A client of iovalkey, or of another copy of ioredis, as far as it is read.
 *
 * @example
 * ```ts
 * const valkey: CompatibleDriver = new Redis({ lazyConnect: true }); // of iovalkey as well
 * const client = createClient(valkey);
 * ```
 */
export interface CompatibleDriver {
  /** Such as `ready`. */
  readonly status: string;
  /** True for a cluster client. */
  readonly isCluster: boolean;
  /** The options that it was made with. */
  readonly options: object;
  /** Never called. */
  sendCommand(...args: never[]): unknown;
  /** Never called. */
  duplicate(...args: never[]): object;
}

/**
 * A Redis or Cluster instance of ioredis 5, ioredis 6 or iovalkey.
 *
 * @example
 * ```ts
 * const driver: DriverInstance = new Cluster([{ host: 'node-1.internal', port: 6379 }]);
 * const client = createClient(driver);
 * ```
 */
export type DriverInstance = Redis | Cluster | CompatibleDriver;

/**
 * Where to connect, in any form that a program already has. It is only read from.
 *
 * @example
 * ```ts
 * const template: RedisTemplate = { host: 'redis.internal', port: 6380, tls: {} };
 * const client = createClient({ redis: template });
 * ```
 */
export type RedisTemplate = string | RedisOptions | DriverInstance;

/** Options of one connection. */
export type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** One server or a Sentinel group behind one address, or the nodes of a cluster. */
export interface Endpoint {
  /** Options of one connection; for a cluster without address. */
  readonly options: ConnectionOptions;
  /** Addresses to learn the cluster's slots from; absent outside clusters. */
  readonly seeds?: readonly Address[];
  /** Translates an announced cluster address into a reachable one. */
  readonly translate?: (address: Address) => Address;
}

/** Host and port of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A script, by its digest and its source. */
export interface Known {
  readonly sha1: string;
  readonly source: string;
}

/** One connection, as the library uses it. `connect()` opens it; once it has ended, it stays so. */
export interface GuardedConnection {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'message' | 'smessage', listener: (channel: string, payload: string) => void): void;
  on(event: 'connect' | 'ready' | 'end', listener: () => void): void;
  connect(): Promise<void>;
  call(command: string, ...args: readonly (string | readonly string[])[]): Promise<unknown>;
  ping(): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
  /** Writes one script call: by digest, or with the source on its first use. `answered` is called
   * once, never before this returns, and must not throw. */
  sendScript(script: Known, isKnown: boolean, operands: Operand[], answered: Answered): void;
  /** Joins the commands of one turn of the event loop into one write. */
  cork(): void;
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
  readonly #redactor: Redactor;

  constructor(options: ConnectionOptions, redactor: Redactor) {
    this.#redactor = redactor;
    try {
      this.#driver = new Redis(options);
    } catch (error) {
      throw this.#redactor.error(error);
    }
  }

  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'message' | 'smessage', listener: (channel: string, payload: string) => void): void;
  on(event: 'connect' | 'ready' | 'end', listener: () => void): void;
  on(event: string, listener: (...args: never[]) => void): void {
    // The driver emits `end` in the context of the code that has ended the connection.
    const handler = outsider((...args: unknown[]) => {
      const told = event === 'error' ? [this.#redactor.error(args[0])] : args;
      Reflect.apply(listener, undefined, told);
    });
    this.#driver.on(event, handler);
  }

  connect(): Promise<void> {
    return this.#clean(() => this.#driver.connect());
  }

  call(command: string, ...args: readonly (string | readonly string[])[]): Promise<unknown> {
    return this.#clean(() => this.#driver.call(command, args.flat()));
  }

  ping(): Promise<unknown> {
    return this.#clean(() => this.#driver.ping());
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#clean(() => this.#driver.unsubscribe(channel));
  }

  sunsubscribe(channel: string): Promise<unknown> {
    return this.#clean(() => this.#driver.sunsubscribe(channel));
  }

  sendScript(script: Known, isKnown: boolean, operands: Operand[], answered: Answered): void {
    const [name, text] = isKnown
      ? (['evalsha', script.sha1] as const)
      : (['eval', script.source] as const);
    const command = new ScriptCommand(name, text, operands, this.#redactor, answered);
    void this.#driver.sendCommand(command);
  }

  cork(): void {
    const { stream } = this.#driver;
    if (stream.writableCorked === 0) {
      stream.cork();
      afterTurn(() => stream.uncork());
    }
  }

  unref(): void {
    this.#driver.stream.unref();
    for (const sentinel of failoverWatch(this.#driver)) {
      unrefWhenConnected(sentinel);
    }
  }

  destroy(): void {
    const driver = this.#driver;
    driver.removeAllListeners();
    // An instance that is still connecting emits an error after its listeners are gone.
    driver.on('error', () => {});
    const { stream } = driver as { stream?: Redis['stream'] };
    const sentinels = failoverWatch(driver);
    driver.disconnect();
    stream?.destroy();
    for (const sentinel of sentinels) {
      // The driver does not end one that is still connecting.
      sentinel.on('connect', () => sentinel.disconnect());
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

/** Redactors by options object, which all attempts to connect to one server share. */
const redactors = new WeakMap<ConnectionOptions, Redactor>();

function redactorOf(options: ConnectionOptions): Redactor {
  let redactor = redactors.get(options);
  if (redactor === undefined) {
    redactor = new Redactor(options);
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
): GuardedConnection {
  return new GuardedRedis(withinLimit(options, connectTimeoutMs), redactorOf(options));
}

function unrefWhenConnected(sentinel: Redis): void {
  const { stream } = sentinel as { stream?: Redis['stream'] };
  stream?.unref();
  sentinel.on('connect', () => sentinel.stream.unref());
}

/** The driver's own connections to the sentinels, which report a failover. The driver neither ends
 * them in every case nor gives access to them, so they are read from its internals. */
function failoverWatch(redis: Redis): Redis[] {
  const connector: unknown = Reflect.get(redis, 'connector');
  const { failoverDetector } = (connector ?? {}) as {
    failoverDetector?: { sentinels?: { client: Redis }[] } | null;
  };
  return (failoverDetector?.sentinels ?? []).map(({ client }) => client);
}

/** An answer of the server, as opposed to a failure of the connection. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}
