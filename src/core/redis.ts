import { Command, Redis } from 'ioredis';
import type { Cluster, ClusterOptions, RedisOptions } from 'ioredis';
import { describe } from './names.js';
import type { Operand } from './script.js';

export type { Redis };

/** Where to connect, in any form that a program already has. It is only read from. */
export type RedisTemplate = string | RedisOptions | Redis | Cluster;

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

/** What is taken over from a template: how to reach the server and who we are there. Every other
 * option is the library's to decide, so that none can change what a call means. */
const CARRIED = new Set([
  'host',
  'port',
  'family',
  'path',
  'tls',
  'username',
  'password',
  'db',
  'protocol',
  'connectTimeout',
  'keepAlive',
  'noDelay',
  'enableReadyCheck',
  'maxLoadingRetryTime',
  'connectionName',
  'disableClientInfo',
  'clientInfoTag',
  'Connector',
  'sentinels',
  'name',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
  'natMap',
  'enableTLSForSentinelMode',
  'updateSentinels',
  'sentinelMaxConnections',
  'sentinelCommandTimeout',
]);

/**
 * Options that every connection of ours has. The driver decides nothing about delivery: a command
 * is written once to a ready connection or rejected, and a connection that ends stays ended.
 */
const OWN_OPTIONS = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  retryStrategy: null,
  reconnectOnError: null,
  // A connection that we end is destroyed; the driver's timer for a graceful end only lingers.
  disconnectTimeout: 1,
  // Without it a demoted master is written to for seconds after a failover.
  failoverDetector: true,
  sentinelRetryStrategy: () => null,
  sentinelReconnectStrategy: () => null,
} as const satisfies RedisOptions;

function carried(source: object): ConnectionOptions {
  const options = Object.entries(source);
  return Object.fromEntries(
    options.filter(([name, value]) => CARRIED.has(name) && value !== undefined),
  );
}

function refuse(source: object, option: string, allowed: unknown, why: string): void {
  const value: unknown = Reflect.get(source, option);
  if (value !== undefined && value !== allowed) {
    throw new TypeError(`redis.${option} must be ${describe(allowed)}: ${why}`);
  }
}

function singleEndpoint(source: object): Endpoint {
  refuse(source, 'role', 'master', 'locks are kept on the master');
  refuse(source, 'monitor', false, 'a monitoring connection cannot send commands');
  return { options: { ...carried(source), ...OWN_OPTIONS } };
}

/** A start node of a cluster as ioredis takes it: a port, an address, a URL or options. */
function parseSeed(node: unknown): ConnectionOptions & Address {
  let options: RedisOptions = {};
  if (typeof node === 'number') {
    options = { port: node };
  } else if (typeof node === 'string') {
    const url = node.includes('://') ? node : `redis://${node}`;
    ({ options } = new Redis(url, { lazyConnect: true }));
  } else if (typeof node === 'object' && node !== null) {
    options = node;
  }
  const { host = '127.0.0.1', port = 6379 } = options;
  return { ...carried(options), host, port };
}

function translator(natMap: ClusterOptions['natMap']): (address: Address) => Address {
  return (address) => {
    const key = `${address.host}:${address.port}`;
    const mapped = typeof natMap === 'function' ? natMap(key) : natMap?.[key];
    return mapped ?? address;
  };
}

function clusterEndpoint(cluster: Cluster): Endpoint {
  const { options } = cluster;
  refuse(options, 'useSRVRecords', false, 'give the addresses of the nodes instead');
  // The nodes it was made with, and those it has learnt since.
  const startup: unknown = Reflect.get(cluster, 'startupNodes');
  const given: unknown[] = Array.isArray(startup) ? startup : [];
  const known = cluster.nodes().map((node) => node.options);
  const seeds = [...given, ...known].map(parseSeed);
  // Credentials and TLS may stand in the start nodes; they count for all nodes.
  const [first] = seeds;
  if (first === undefined) {
    throw new TypeError('redis must be a Cluster with at least one start node');
  }
  const { host: _host, port: _port, ...shared } = first;
  return {
    // A cluster has one database only.
    options: { ...shared, ...carried(options.redisOptions ?? {}), ...OWN_OPTIONS, db: 0 },
    seeds: seeds.map(({ host, port }) => ({ host, port })),
    translate: translator(options.natMap),
  };
}

/** Instances are told by what they can do: they may come from another copy of the driver. */
function isCluster(template: object): template is Cluster {
  return 'isCluster' in template && template.isCluster === true;
}

function isRedis(template: object): template is Redis {
  return 'sendCommand' in template && typeof template.sendCommand === 'function';
}

/** Reads a template; throws a TypeError that names what cannot be used. */
export function readTemplate(template: unknown): Endpoint {
  if (typeof template === 'string') {
    if (!/^(rediss?:\/\/|\/)/.test(template)) {
      throw new TypeError(
        'redis must be a URL such as "redis://127.0.0.1:6379" or the absolute path of a socket, ' +
          `got ${describe(template)}`,
      );
    }
    // The driver's own parser, on a connection that is never opened.
    return singleEndpoint(new Redis(template, { lazyConnect: true }).options);
  }
  if (typeof template !== 'object' || template === null || Array.isArray(template)) {
    throw new TypeError(
      `redis must be a URL, ioredis options, a Redis or a Cluster, got ${describe(template)}`,
    );
  }
  if (isCluster(template)) {
    return clusterEndpoint(template);
  }
  return singleEndpoint(isRedis(template) ? template.options : template);
}

/** A connection that is not yet opened: `connect()` opens it, and once ended it stays ended. */
export function createConnection(options: ConnectionOptions, connectTimeoutMs: number): Redis {
  // 0 would be no limit at all.
  const wanted = options.connectTimeout === 0 ? undefined : options.connectTimeout;
  const connectTimeout = Math.min(wanted ?? connectTimeoutMs, connectTimeoutMs);
  return new Redis({ ...options, connectTimeout });
}

/** Lets the process end while a connection is idle. */
export function unref(redis: Redis): void {
  redis.stream.unref();
  for (const sentinel of failoverWatch(redis)) {
    unrefWhenConnected(sentinel);
  }
}

/** Ends a connection at once: a graceful end would wait for the other side, which a half-open
 * connection has not got. */
export function destroyConnection(redis: Redis): void {
  redis.removeAllListeners();
  // An instance that still connects reports an error after its listeners are gone.
  redis.on('error', () => {});
  const { stream } = redis as { stream?: Redis['stream'] };
  const sentinels = failoverWatch(redis);
  redis.disconnect();
  stream?.destroy();
  for (const sentinel of sentinels) {
    // The driver forgets one that is still connecting.
    sentinel.on('connect', () => sentinel.disconnect());
  }
}

function unrefWhenConnected(sentinel: Redis): void {
  const { stream } = sentinel as { stream?: Redis['stream'] };
  stream?.unref();
  sentinel.on('connect', () => sentinel.stream.unref());
}

/** The driver's own connections to the sentinels, on which it hears of a failover. It neither ends
 * them in every case nor gives access to them, so this looks inside. */
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

/** Writes one script call to a ready connection: by digest, or with the source to introduce it. */
export function sendScript(
  redis: Redis,
  script: { readonly sha1: string; readonly source: string },
  isKnown: boolean,
  operands: Operand[],
): Promise<unknown> {
  const name = isKnown ? 'evalsha' : 'eval';
  const head = isKnown ? script.sha1 : script.source;
  // Nested, since the driver flattens what it is given.
  const command = new Command(name, [head, operands], { replyEncoding: 'utf8' });
  void redis.sendCommand(command);
  return command.promise;
}

/** Commands of one turn of the event loop leave in one write. */
export function cork({ stream }: Redis): void {
  if (stream.writableCorked === 0) {
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
}
