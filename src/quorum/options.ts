import type { ClientOptions } from '../client-options.js';
import { NOT_OF_CLIENT, readSettings } from '../client-options.js';
import type { Settings } from '../core/client-services.js';
import { checkInteger, INT32_MAX } from '../core/base/arguments.js';
import type { CredentialsSource } from '../core/base/credentials-options.js';
import { checkLabel, describe } from '../core/base/key-names.js';
import { checkOptions, isPlain, type OptionSet } from '../core/base/options.js';
import type { RouterSettings } from '../core/connection/create-router.js';
import { checkSource } from '../core/connection/credentials.js';
import type {
  DriverRedis,
  Endpoint,
  NodeRedisClient,
  RedisOptions,
} from '../core/connection/driver-types.js';
import { labelled } from '../core/connection/label.js';
import { readTemplate, type ReadTemplate } from '../core/connection/endpoint.js';
import { nodeRedisKind } from '../core/connection/node-redis-kind.js';
import { isCluster, isInstance } from '../core/connection/template.js';
import { asError } from '../core/wire/replies.js';

const SERVERS_MIN = 3;
const SERVERS_MAX = 9;
const DEFAULT_SERVER_TIMEOUT_MS = 50;

/**
 * How to make a client whose locks are held by a majority of servers.
 *
 * @example
 * ```ts
 * const options: QuorumOptions = {
 *   servers: ['redis://redis-1:6379', 'redis://redis-2:6379', 'redis://redis-3:6379'],
 *   leaseMs: 10_000,
 * };
 * ```
 */
export interface QuorumOptions extends Omit<
  ClientOptions,
  'redis' | 'handOff' | 'replicas' | 'shardedSubscriptionMode'
> {
  /** 3 to 9 independent masters, each a URL, ioredis options, or an instance of ioredis, iovalkey or node-redis (only
   * read) for one server. TypeError for Sentinel options and for a Cluster. Two that are one server, and one that is a replica, are
   * found when they are connected: each call rejects with a TypeError then. */
  servers: readonly (string | RedisOptions | DriverRedis | NodeRedisClient)[];
  /** For how many milliseconds the answer of a server is waited for: 1 to 2147483647, default 50. An
   * acquisition waits a tenth of its lease at most. */
  serverTimeoutMs?: number | undefined;
  /** The longest lease, in milliseconds, of any process that shares the locks, the same in each: 100 to 2147483647,
   * default `leaseMs`. A longer lease is a RangeError. A server that was started does not vote for so long. */
  maxLeaseMs?: number | undefined;
}

const OPTIONS: OptionSet = {
  of: 'createQuorumClient',
  known: [
    'servers',
    'serverTimeoutMs',
    'maxLeaseMs',
    'keyPrefix',
    'leaseMs',
    'commandTimeoutMs',
    'waitMs',
    'maxWaiters',
    'stalledAfterMs',
    'reentry',
    'label',
    'credentials',
  ],
  elsewhere: {
    ...NOT_OF_CLIENT,
    redis: 'a quorum has several: give servers',
    handOff: 'a lock of a quorum has no line',
    replicas: 'a majority takes their place, and a server of a quorum should have no replicas',
    shardedSubscriptionMode: 'a quorum has no cluster',
  },
};

/** The options of a quorum client, checked. */
export interface CheckedQuorumOptions {
  readonly endpoints: readonly Endpoint[];
  readonly keyPrefix: string;
  readonly settings: Settings & RouterSettings;
  readonly serverTimeoutMs: number;
  readonly maxLeaseMs: number;
}

/** Reads what `createQuorumClient` was given; throws a TypeError or RangeError that says what to write. */
export function readQuorumOptions(given: unknown): CheckedQuorumOptions {
  if (!isPlain(given)) {
    throw new TypeError(
      `options must be an object such as { servers: ["redis://redis-1:6379", ...] }, got ${describe(given)}`,
    );
  }
  const options: Partial<QuorumOptions> = checkOptions('options', given, OPTIONS);
  const settings = { ...readSettings(options), handOff: undefined };
  const { leaseMs } = settings;
  const { serverTimeoutMs = DEFAULT_SERVER_TIMEOUT_MS, maxLeaseMs = leaseMs } = options;
  checkInteger('maxLeaseMs', maxLeaseMs, leaseMs, INT32_MAX);
  const label = checkLabel(options.label);
  const credentials = checkSource(options.credentials);
  const { servers, keyPrefix } = readServers(options.servers, options.keyPrefix, credentials);
  return {
    endpoints: servers.map((server) => labelled(server, label)),
    keyPrefix,
    settings,
    serverTimeoutMs: checkInteger('serverTimeoutMs', serverTimeoutMs, 1, INT32_MAX),
    maxLeaseMs,
  };
}

function readServers(
  given: unknown,
  own: string | undefined,
  credentials: CredentialsSource | undefined,
): { servers: readonly Endpoint[]; keyPrefix: string } {
  if (!Array.isArray(given)) {
    throw new TypeError(
      `servers must be an array of ${SERVERS_MIN} to ${SERVERS_MAX}, got ${describe(given)}`,
    );
  }
  const listed: readonly unknown[] = given;
  if (listed.length < SERVERS_MIN || listed.length > SERVERS_MAX) {
    throw new RangeError(
      `servers must be ${SERVERS_MIN} to ${SERVERS_MAX} servers, got ${listed.length}: ` +
        'fewer have no majority that survives the loss of one',
    );
  }
  const servers = listed.map((server, i) => readServer(server, i, credentials));
  const prefixes = new Set(servers.map(({ keyPrefix }) => keyPrefix));
  const [first = ''] = prefixes;
  if (own === undefined && prefixes.size > 1) {
    throw new TypeError('servers must have the same keyPrefix: give keyPrefix beside servers');
  }
  if (own !== undefined && [...prefixes].some((prefix) => prefix !== '' && prefix !== own)) {
    throw new TypeError(`keyPrefix is ${describe(own)}, and a server has another one: give one`);
  }
  return { servers, keyPrefix: own ?? first };
}

function readServer(
  server: unknown,
  place: number,
  credentials: CredentialsSource | undefined,
): ReadTemplate {
  const argument = `servers[${place}]`;
  const kind = nodeRedisKind(server);
  if ((isInstance(server) && isCluster(server)) || kind === 'cluster' || kind === 'sentinel') {
    const got = kind === 'sentinel' ? 'a client of Sentinel' : 'a Cluster';
    throw new TypeError(
      `${argument} must be one server, got ${got}: a failover in it may lose a lock`,
    );
  }
  let endpoint;
  try {
    endpoint = readTemplate(server, credentials);
  } catch (error) {
    throw new TypeError(
      `${argument}: ${asError(error).message.replace(/^redis must be/u, 'must be')}`,
      {
        cause: error,
      },
    );
  }
  const { sentinels, Connector } = endpoint.options;
  if ((sentinels ?? null) !== null || (Connector ?? null) !== null) {
    throw new TypeError(
      `${argument} must be one server, got Sentinel options: a failover may lose a lock, and a majority does not see that`,
    );
  }
  return endpoint;
}
