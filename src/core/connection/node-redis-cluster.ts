import type { Address } from './driver-types.js';
import {
  bare,
  checkPlaces,
  fieldsOf,
  isAbsent,
  listOf,
  valueOf,
  type Fields,
} from './node-redis-fields.js';
import { speaksThree } from './node-redis-provider.js';
import { isOfTls } from './node-redis-tls.js';

/** Where the nodes of a cluster are. */
export interface NodeRedisNodes {
  readonly rootNodes: readonly Address[];
  /** The masters that the instance has found, as the cluster announces them. */
  readonly found: readonly Address[];
  /** Object or function that translates what the cluster announces. */
  readonly natMap: unknown;
  readonly keyPrefix: unknown;
}

/** The options of each node of a cluster. What the `defaults` leave open is that of the first root node, although
 * node-redis uses that for its first question alone: it would not reach the other nodes then. */
export function ofNodes({ rootNodes, defaults: given, RESP }: Fields): Fields {
  const first = withUrl(listOf(rootNodes)[0]);
  const defaults = fieldsOf(given);
  const { username, password, credentialsProvider } = hasUser(defaults) ? defaults : first;
  const isNobody = isAbsent(password) && speaksThree({ RESP });
  const address = { host: undefined, port: undefined, path: undefined };
  const socket = { ...socketOf(fieldsOf(first.socket), fieldsOf(defaults.socket)), ...address };
  return {
    ...first,
    ...defaults,
    username: isNobody ? undefined : username,
    password,
    credentialsProvider,
    socket,
    RESP,
  };
}

/** The socket of the defaults with what they leave open; TLS is one thing with its options. */
function socketOf(first: Fields, defaults: Fields): Fields {
  const hasTls = (defaults.tls ?? null) !== null;
  const open = Object.entries(first).filter(([name]) => !hasTls || !isOfTls(name));
  return { ...Object.fromEntries(open), ...defaults, tls: hasTls ? defaults.tls : first.tls };
}

function hasUser({ username, password, credentialsProvider }: Fields): boolean {
  return [username, password, credentialsProvider].some(Boolean);
}

/** Where the nodes of a cluster are; throws a TypeError for a root node that has no address of its own. */
export function nodesOf(cluster: object, options: Fields): NodeRedisNodes {
  const shared = fieldsOf(fieldsOf(options.defaults).socket);
  const rootNodes = listOf(options.rootNodes).map((given) => {
    const node = withUrl(given);
    checkPlaces(node);
    return addressOf({ ...shared, ...fieldsOf(node.socket) });
  });
  const found = listOf(valueOf(cluster, 'masters')).flatMap((master) => {
    const { host, port } = fieldsOf(master);
    return typeof host === 'string' && typeof port === 'number' ? [{ host, port }] : [];
  });
  return { rootNodes, found, natMap: options.nodeAddressMap, keyPrefix: options.keyPrefix };
}

function addressOf({ host, port, path }: Fields): Address {
  if ((path ?? '') !== '') {
    throw refused('be reached by TCP, got the path of a socket');
  }
  return {
    host: typeof host === 'string' && host !== '' ? host : 'localhost',
    port: typeof port === 'number' || typeof port === 'string' ? Number(port) : 6379,
  };
}

function refused(wanted: string): TypeError {
  return new TypeError(
    `redis.rootNodes of a cluster of node-redis must ${wanted}: give { socket: { host, port } } or { url }`,
  );
}

/** A root node with what its URL names; node-redis reads that when it asks the node. */
function withUrl(given: unknown): Fields {
  const node = fieldsOf(given);
  if (typeof node.url !== 'string' || node.url === '') {
    return node;
  }
  const { protocol, hostname, port, username, password } = partsOf(node.url);
  const socket = {
    ...fieldsOf(node.socket),
    host: bare(hostname),
    ...(port !== '' && { port: Number(port) }),
    ...(protocol === 'rediss:' && { tls: true }),
  };
  return username === '' && password === ''
    ? { ...node, socket }
    : // Of a user in the URL node-redis makes a provider, which takes the place of any other.
      { ...node, socket, username, password, credentialsProvider: undefined };
}

type Parts = Pick<URL, 'protocol' | 'hostname' | 'port' | 'username' | 'password'>;

/** The parts of a URL that count for node-redis. */
function partsOf(url: string): Parts {
  let parts: Parts;
  try {
    const { protocol, hostname, port, username, password } = new URL(url);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    parts = { protocol, hostname, port, username: user, password: secret };
  } catch {
    throw refused('have URLs that can be read');
  }
  if (parts.protocol === 'unix:') {
    throw refused('be reached by TCP, got the path of a socket');
  }
  if (parts.protocol !== 'redis:' && parts.protocol !== 'rediss:') {
    throw refused('have URLs that start with redis:// or rediss://');
  }
  return parts;
}
