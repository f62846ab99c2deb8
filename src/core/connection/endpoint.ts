import type { CredentialsSource } from '../base/credentials-options.js';
import { checkKeyPrefix, describe } from '../base/key-names.js';
import { optionsOfUrl } from './driver.js';
import type {
  Address,
  Cluster,
  ClusterOptions,
  ConnectionOptions,
  Endpoint,
  RedisOptions,
} from './driver-types.js';
import { withoutCredentials } from '../base/redactor.js';
import type { NodeRedisNodes } from './node-redis-cluster.js';
import { readNodeRedis, type NodeRedisTemplate } from './node-redis.js';
import { checkPlainTemplate, isCluster, isInstance } from './template.js';

/** The options that are taken over from a template: those of the address and of signing in. The
 * library sets all others itself, so that none can change what a call means. */
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

/** Options of the driver that are not taken over, but may be written into the wrong place. */
const NOT_CARRIED = [
  'lazyConnect',
  'retryStrategy',
  'reconnectOnError',
  'maxRetriesPerRequest',
  'enableOfflineQueue',
  'enableAutoPipelining',
  'autoResubscribe',
  'commandTimeout',
  'socketTimeout',
  'readOnly',
  'role',
  'redisOptions',
];

/** Names by which options of the driver are told from those of the client. */
export const DRIVER_OPTIONS: readonly string[] = [...CARRIED, ...NOT_CARRIED];

/**
 * Options that every connection has. The driver decides nothing about delivery: a command
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
  // Connections are destroyed, so the driver's timer for a graceful end would only linger.
  disconnectTimeout: 1,
  // Without it commands go to a demoted master for seconds after a failover.
  failoverDetector: true,
  sentinelRetryStrategy: () => null,
  sentinelReconnectStrategy: () => null,
} as const satisfies RedisOptions;

/** What changes cannot stand in options: the driver would take it for a text, and be refused for ever. */
function checkSecrets(source: object): void {
  for (const option of ['username', 'password', 'sentinelUsername', 'sentinelPassword']) {
    const value: unknown = Reflect.get(source, option);
    const isFunction = typeof value === 'function';
    if (isFunction || (typeof value === 'object' && value !== null && 'then' in value)) {
      const got = isFunction ? 'a function' : 'a promise';
      const instead = option.startsWith('sentinel')
        ? 'what sentinels want cannot change'
        : 'give the option credentials, a function that is asked before each connection';
      throw new TypeError(`redis.${option} must be a string, got ${got}: ${instead}`);
    }
  }
}

function carried(source: object): ConnectionOptions {
  checkSecrets(source);
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

/** What a template says: where to connect, and what stands in front of every key; '' for nothing. */
export interface ReadTemplate extends Endpoint {
  readonly keyPrefix: string;
}

/** The driver takes null and '' for no prefix as well. */
function prefixOf(value: unknown): string {
  return checkKeyPrefix('redis.keyPrefix', value ?? '');
}

function singleEndpoint(source: object): ReadTemplate {
  refuse(source, 'role', 'master', 'locks are kept on the master');
  refuse(source, 'monitor', false, 'a monitoring connection cannot send commands');
  const keyPrefix = prefixOf(Reflect.get(source, 'keyPrefix'));
  return { options: { ...carried(source), ...OWN_OPTIONS }, keyPrefix };
}

/** A start node of a cluster as ioredis takes it: a port, an address, a URL or options. */
function parseSeed(node: unknown): ConnectionOptions & Address {
  let options: RedisOptions = {};
  if (typeof node === 'number') {
    options = { port: node };
  } else if (typeof node === 'string') {
    const url = node.includes('://') ? node : `redis://${node}`;
    options = optionsOfUrl(url);
  } else if (typeof node === 'object' && node !== null) {
    options = node;
  }
  const { host = '127.0.0.1', port = 6379 } = options;
  return { ...carried(options), host, port };
}

type NatMap = ClusterOptions['natMap'];

function isNatMap(value: unknown): value is NatMap {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function translator(natMap: unknown): (address: Address) => Address {
  const map = isNatMap(natMap) ? natMap : undefined;
  return (address) => {
    const key = `${address.host}:${address.port}`;
    const mapped = typeof map === 'function' ? map(key) : map?.[key];
    return mapped ?? address;
  };
}

function ofCluster(cluster: Cluster): ReadTemplate {
  const { options } = cluster;
  refuse(options, 'useSRVRecords', false, 'give the addresses of the nodes instead');
  // The start nodes, and the nodes that the cluster client has found since.
  const startup: unknown = Reflect.get(cluster, 'startupNodes');
  const given: unknown[] = Array.isArray(startup) ? startup : [];
  const known = cluster.nodes().map((node) => node.options);
  const { redisOptions = {}, natMap, keyPrefix } = options;
  return clusterEndpoint([...given, ...known], redisOptions, translator(natMap), keyPrefix);
}

function clusterEndpoint(
  nodes: readonly unknown[],
  redisOptions: object,
  translate: (address: Address) => Address,
  keyPrefix: unknown,
): ReadTemplate {
  const seeds = nodes.map(parseSeed);
  // Credentials and TLS may stand in the first start node; they count for all nodes.
  const [first] = seeds;
  if (first === undefined) {
    throw new TypeError('redis must be a Cluster with at least one start node');
  }
  const { host: _host, port: _port, ...shared } = first;
  return {
    // A cluster has one database only.
    options: { ...shared, ...carried(redisOptions), ...OWN_OPTIONS, db: 0 },
    seeds: seeds.map(({ host, port }) => ({ host, port })),
    translate,
    keyPrefix: prefixOf(keyPrefix),
  };
}

function ofNodeRedis({ options, cluster, credentials }: NodeRedisTemplate): ReadTemplate {
  const read = cluster === undefined ? singleEndpoint(options) : ofNodes(options, cluster);
  if (credentials === undefined) {
    return read;
  }
  // A provider has the last word in node-redis: no user of the options stands in for one that it does not name.
  const { username: _username, password: _password, ...rest } = read.options;
  return { ...read, options: rest, credentials };
}

function ofNodes(options: object, cluster: NodeRedisNodes): ReadTemplate {
  const translate = translator(cluster.natMap);
  const nodes = [...cluster.rootNodes, ...cluster.found.map(translate)];
  return clusterEndpoint(nodes, options, translate, cluster.keyPrefix);
}

/** A text that is no URL is not shown: it may be a password that was put in the place of one. */
function describeAddress(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text)
    ? describe(withoutCredentials(text))
    : `a string of ${text.length} characters without "redis://"`;
}

/**
 * Reads a template; throws a TypeError that names what cannot be used.
 * @param credentials - gives what to sign in with, in the place of what the template has.
 */
export function readTemplate(template: unknown, credentials?: CredentialsSource): ReadTemplate {
  const read = readGiven(template, credentials === undefined);
  return credentials === undefined
    ? read
    : { ...read, credentials: { title: 'credentials', mayBeNone: false, ask: credentials } };
}

function readGiven(template: unknown, signsIn: boolean): ReadTemplate {
  if (typeof template === 'string') {
    if (!/^(rediss?:\/\/|\/)/.test(template)) {
      throw new TypeError(
        'redis must be a URL such as "redis://127.0.0.1:6379" or the absolute path of a socket, ' +
          `got ${describeAddress(template)}`,
      );
    }
    return singleEndpoint(optionsOfUrl(template));
  }
  if (isInstance(template)) {
    return isCluster(template) ? ofCluster(template) : singleEndpoint(template.options);
  }
  const found = readNodeRedis(template, signsIn);
  if (found !== undefined) {
    return ofNodeRedis(found);
  }
  checkPlainTemplate(template);
  return singleEndpoint(template);
}
