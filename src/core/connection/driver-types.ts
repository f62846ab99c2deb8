import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';

export type { Cluster, ClusterOptions, RedisOptions };
/** The class of the driver. */
export type { Redis as DriverRedis };

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
