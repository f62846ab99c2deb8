import { isPlain } from '../base/options.js';
import type { Cluster, DriverInstance, DriverRedis } from './driver-types.js';
import { nodeRedisKind } from './node-redis-kind.js';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function has(value: object, property: string, type: 'function' | 'object' | 'string'): boolean {
  return typeof Reflect.get(value, property) === type;
}

/** A client of the driver, with one server or a cluster behind it. Instances are recognised by
 * their members, since they may come from another copy of the driver, or from iovalkey. */
export function isInstance(value: unknown): value is DriverRedis | Cluster {
  return isObject(value) && (isRedis(value) || isCluster(value));
}

/** A cluster client of the driver. */
export function isCluster(value: object): value is Cluster {
  return (
    Reflect.get(value, 'isCluster') === true &&
    Array.isArray(Reflect.get(value, 'startupNodes')) &&
    has(value, 'nodes', 'function') &&
    has(value, 'options', 'object')
  );
}

/** A client of the driver for one server. Clients of other libraries have options and
 * `sendCommand` as well, but neither a connector nor a status. */
function isRedis(value: object): value is DriverRedis {
  return (
    Reflect.get(value, 'isCluster') !== true &&
    has(value, 'status', 'string') &&
    has(value, 'connector', 'object') &&
    has(value, 'sendCommand', 'function') &&
    has(value, 'options', 'object')
  );
}

/** An instance of a client, as opposed to options; one of node-redis may be of a kind that is refused later. */
export function isClientInstance(value: unknown): value is DriverInstance {
  return isInstance(value) || nodeRedisKind(value) !== undefined;
}

/** What was given in place of a template or of options, in words that say what to do. No value is
 * shown: it may be a password. */
export function describeGiven(value: unknown): string {
  if (!isObject(value)) {
    const isClass = typeof value === 'function';
    const other = value === null ? 'null' : `a value of type ${typeof value}`;
    return isClass ? 'a class or function: give an instance, as by new Redis(url)' : other;
  }
  if (Array.isArray(value)) {
    return 'an array: for a cluster give a Cluster instance';
  }
  if (value instanceof URL) {
    return 'a URL object: give its href';
  }
  if (value instanceof Promise) {
    return 'a promise: await it first';
  }
  // oxlint-disable-next-line redlatch/literal-names -- the class of another, whatever it is called here
  const { constructor: made } = value;
  const isNamed = typeof made === 'function' && typeof made.name === 'string';
  const name = isNamed && !['', 'Object'].includes(made.name) ? ` of class ${made.name}` : '';
  return isClient(value)
    ? `a client${name} of another library, a mock, or a wrapper: give the URL of its server`
    : `an object${name}: spread it into a plain one`;
}

/** A client of some library: it has methods that no options have. */
function isClient(value: object): boolean {
  return ['on', 'connect', 'sendCommand', 'get', 'set', 'quit'].some((name) =>
    has(value, name, 'function'),
  );
}

/** Options in which other libraries have the address. The driver does not know them: it would
 * connect to the local server without a word. */
const FOREIGN_ADDRESSES = [
  'url',
  'uri',
  'socket',
  'hostname',
  'hosts',
  'address',
  'addresses',
  'connectionString',
  'endpoint',
  'servers',
  'nodes',
  'rootNodes',
  'startupNodes',
  'cluster',
  'client',
  'connection',
  'redis',
];
const ADDRESSES = ['host', 'path', 'sentinels', 'Connector'];

/** Throws a TypeError unless a template is made of plain options that the driver can understand. */
export function checkPlainTemplate(template: unknown): asserts template is object {
  if (!isPlain(template) || isClient(template)) {
    throw new TypeError(
      'redis must be a URL, ioredis options, a Redis or Cluster of ioredis 5, ioredis 6 or iovalkey, or a client ' +
        `or cluster of node-redis 4 to 6; got ${describeGiven(template)}`,
    );
  }
  const wrapped = Object.entries(template).find(([, value]) => isClientInstance(value));
  if (wrapped !== undefined) {
    throw new TypeError(`redis.${wrapped[0]} is a client: give it as redis itself`);
  }
  const { host } = template as { host?: unknown };
  if (host !== undefined && host !== null && typeof host !== 'string') {
    throw new TypeError(`redis.host must be a string, got a value of type ${typeof host}`);
  }
  const isGiven = (option: string): boolean => Reflect.get(template, option) !== undefined;
  const foreign = FOREIGN_ADDRESSES.find((option) => isGiven(option));
  if (foreign !== undefined && !ADDRESSES.some((option) => isGiven(option))) {
    throw new TypeError(
      `redis.${foreign} is no option of ioredis, and no address is given: write redis: ` +
        '"redis://host:6379" or redis: { host, port }, or give a Cluster instance',
    );
  }
}
