import type { CredentialsOrigin } from '../base/credentials-options.js';
import { nodesOf, ofNodes, type NodeRedisNodes } from './node-redis-cluster.js';
import {
  bare,
  checkPlaces,
  fieldsOf,
  isAbsent,
  isFields,
  valueOf,
  type Fields,
} from './node-redis-fields.js';
import { nodeRedisKind, type NodeRedisKind } from './node-redis-kind.js';
import { providerOf } from './node-redis-provider.js';
import { tlsOf } from './node-redis-tls.js';

/** Instances whose options cannot be read, and what to give in their place. */
const INSTEAD: Readonly<Record<Exclude<NodeRedisKind, 'client'>, string>> = {
  transaction: 'a transaction of node-redis: give the client that it was begun on',
  legacy:
    'the legacy face of a client of node-redis (legacy(), v4): give the client that it was made from',
  sentinel:
    'a sentinel client of node-redis, whose options cannot be read: give ioredis options, ' +
    'redis: { sentinels: [{ host, port }], name, username, password, sentinelPassword }',
  cluster:
    'a cluster of node-redis 4 or 5.0, whose options cannot be read: give a Cluster of ioredis with its ' +
    'root nodes, new Cluster([{ host, port }], { redisOptions: { username, password, tls } })',
  pool:
    'a pool of node-redis, whose options cannot be read: give the URL, or createClient(options) of ' +
    'node-redis with the options that the pool has for its clients, which need not be connected',
};

/** Options of a socket that would lead elsewhere, or from elsewhere, when they were left out. */
const NEEDS_TLS: readonly (keyof Fields)[] = ['lookup', 'localAddress', 'localPort', 'blockList'];

/** What an instance says, in options of the driver. */
export interface NodeRedisTemplate {
  /** Of a connection to the server, or to each node of the cluster. */
  readonly options: object;
  /** Gives what to sign in with, where the instance has a provider. */
  readonly credentials: CredentialsOrigin | undefined;
  readonly cluster?: NodeRedisNodes;
}

/**
 * Reads an instance of node-redis; undefined for anything else. Throws a TypeError that says what to give in its place.
 * @param signsIn - whether what it signs in with is needed.
 */
export function readNodeRedis(value: unknown, signsIn: boolean): NodeRedisTemplate | undefined {
  const kind = nodeRedisKind(value);
  if (kind === undefined || !isFields(value)) {
    return undefined;
  }
  // Versions 4 and 5.0 have no options where none were given to a client.
  const options = valueOf(value, kind === 'cluster' ? '_options' : 'options');
  if (kind === 'client') {
    return templateOf(fieldsOf(options), signsIn);
  }
  if (kind === 'cluster' && isFields(options)) {
    return { ...templateOf(ofNodes(options), signsIn), cluster: nodesOf(value, options) };
  }
  throw new TypeError(`redis must be a URL, ioredis options or a client, got ${INSTEAD[kind]}`);
}

function templateOf(source: Fields, signsIn: boolean): NodeRedisTemplate {
  checkPlaces(source);
  return { options: optionsOf(source), credentials: signsIn ? providerOf(source) : undefined };
}

/** Its options in the names of the driver. null is nothing; what is undefined is left out later. */
function optionsOf(source: Fields): object {
  const socket = fieldsOf(source.socket);
  const { host, port, path, family } = socket;
  const { username, password } = source;
  const isPath = typeof path === 'string' && path !== '';
  const tls = tlsOf(socket);
  const refused = tls === undefined ? NEEDS_TLS : (['socket'] as const);
  const lost = isPath ? undefined : refused.find((name) => (socket[name] ?? null) !== null);
  if (lost !== undefined) {
    const when = tls === undefined ? ' without TLS' : '';
    throw new TypeError(
      `redis.socket.${lost} cannot be carried over to ioredis${when}: ` +
        'give a URL or ioredis options, with an address that does without it',
    );
  }
  const options = {
    // Version 4 keeps the brackets that an IPv6 address has in a URL.
    ...(isPath ? { path } : { host: typeof host === 'string' ? bare(host) : host, port, family }),
    tls,
    username,
    // A user without a password signs in with an empty one.
    password: isAbsent(username) ? password : (password ?? ''),
    db: source.database,
    connectionName: source.name,
    protocol: source.RESP,
    keyPrefix: source.keyPrefix,
    disableClientInfo: source.disableClientInfo,
    clientInfoTag: source.clientInfoTag,
    connectTimeout: socket.connectTimeout,
    keepAlive: keepAliveOf(socket),
    noDelay: socket.noDelay,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

/** In version 4 a number or false, in later ones a choice beside the number. For the driver false is none, too. */
function keepAliveOf({ keepAlive, keepAliveInitialDelay }: Fields): unknown {
  return keepAlive === false
    ? false
    : [keepAliveInitialDelay, keepAlive].find((value) => typeof value === 'number');
}
