import type { CredentialsOrigin } from '../base/credentials-options.js';
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
 * A client of node-redis 4, 5 or 6 (`redis` or `@redis/client`), as far as it is read.
 *
 * @example
 * ```ts
 * import * as nodeRedis from '@redis/client';
 *
 * const redis: NodeRedisClient = nodeRedis.createClient({ url: 'redis://localhost:6379' });
 * const client = createClient({ redis });
 * ```
 */
export interface NodeRedisClient {
  /** Whether it is connected, which it need not be. */
  readonly isOpen: boolean;
  /** The options that it was made with. */
  readonly options: object | undefined;
  /** Never called. */
  sendCommand(...args: never[]): unknown;
  /** Never called. */
  duplicate(...args: never[]): object;
}

/**
 * A cluster of node-redis 5.1 or later, or 6, as far as it is read.
 *
 * @example
 * ```ts
 * import * as nodeRedis from '@redis/client';
 *
 * const rootNodes = [{ url: 'redis://localhost:7000' }];
 * const redis: NodeRedisCluster = nodeRedis.createCluster({ rootNodes });
 * const client = createClient({ redis });
 * ```
 */
export interface NodeRedisCluster {
  /** Whether it is connected, which it need not be. */
  readonly isOpen: boolean;
  /** The options that it was made with. */
  readonly _options: object;
  /** Never called. */
  sendCommand(...args: never[]): unknown;
  /** Never called. */
  duplicate(...args: never[]): object;
}

/**
 * A Redis or Cluster instance of ioredis 5, ioredis 6 or iovalkey, or a client or cluster of node-redis.
 *
 * @example
 * ```ts
 * const driver: DriverInstance = new Cluster([{ host: 'node-1.internal', port: 6379 }]);
 * const client = createClient(driver);
 * ```
 */
export type DriverInstance =
  | Redis
  | Cluster
  | CompatibleDriver
  | NodeRedisClient
  | NodeRedisCluster;

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
  /** Gives what to sign in with, in the place of what the options have. */
  readonly credentials?: CredentialsOrigin | undefined;
  /** Translates an announced cluster address into a reachable one. */
  readonly translate?: (address: Address) => Address;
}

/** Host and port of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}
