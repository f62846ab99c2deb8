import { HAND_OFFS, REENTERING, type HandOff, type Settings } from './core/client-services.js';
import type { RouterSettings } from './core/connection/create-router.js';
import {
  checkChoice,
  checkInteger,
  checkMaxWaiters,
  INT32_MAX,
  RENEWED_LEASE_MIN_MS,
} from './core/base/arguments.js';
import { checkKeyPrefix, checkLabel, describe } from './core/base/key-names.js';
import { checkOptions, isPlain, type OptionSet } from './core/base/options.js';
import type { ReplicasOptions } from './core/base/replicas-options.js';
import { checkReplicas } from './core/replicas/check-replicas.js';
import { SHARDED_SUBSCRIPTION_MODES } from './core/connection/cluster-router.js';
import { defaultStallMs } from './core/observe/slow-wait.js';
import type { Credentials, CredentialsSource } from './core/base/credentials-options.js';
import { checkSource } from './core/connection/credentials.js';
import type { Endpoint, RedisTemplate } from './core/connection/driver-types.js';
import { DRIVER_OPTIONS, readTemplate, type ReadTemplate } from './core/connection/endpoint.js';
import { labelled } from './core/connection/label.js';
import { asError } from './core/wire/replies.js';
import { describeGiven, isClientInstance } from './core/connection/template.js';

const DEFAULT_URL = 'redis://127.0.0.1:6379';
const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_COMMAND_TIMEOUT_MS = 5_000;

/**
 * How to make a client.
 *
 * @example
 * ```ts
 * const client = createClient({ redis: 'redis://redis.internal:6379', keyPrefix: 'shop:' });
 * ```
 */
export interface ClientOptions {
  /**
   * A URL, ioredis options, a Redis or Cluster instance of ioredis or iovalkey, or a client or cluster of node-redis,
   * used as a template: the client opens its own connections from it, never writes to it and never closes it.
   * Default: `process.env.REDIS_URL`, else `redis://127.0.0.1:6379`.
   */
  redis?: RedisTemplate | undefined;
  /** Put in front of every object name, the same on every process that shares the objects.
   * Default: the `keyPrefix` of the template, else none. One beside a different one of the template
   * is a TypeError. */
  keyPrefix?: string | undefined;
  /** Lease in milliseconds of a hold that names none, renewed every third of it: 100 to
   * 2147483647, default 30000. */
  leaseMs?: number | undefined;
  /** Longest wait in milliseconds for the answer to one command: 1 to 2147483647, default 5000. */
  commandTimeoutMs?: number | undefined;
  /**
   * Wait in milliseconds of every `acquire` and `using` of locks and semaphores that names no `waitMs`: 0 to
   * 2147483647, no limit by default. A call that is to wait on names 2147483647, which is 24 days. It says nothing
   * to `tryAcquire`, nor to `wait` of a latch.
   */
  waitMs?: number | undefined;
  /**
   * How many acquisitions may wait in this client for one object: 1 to 2147483647, no limit by default. One more
   * rejects at once with TooManyWaitersError (`tryAcquire` with `waitMs` answers null), before anything is sent. One
   * waits once the server has refused it, or one before it. Readers and writers are counted apart, and re-entries
   * neither refused nor counted.
   */
  maxWaiters?: number | undefined;
  /** A wait that has lasted so many milliseconds is told by the event `stalled`, and again at two,
   * four, eight times that: 1 to 2147483647, default a third of `leaseMs`, but at least 3000. While that
   * event has no listener, a wait without `waitMs` is told by a warning of the process, once a name. */
  stalledAfterMs?: number | undefined;
  /**
   * Whether messages are sharded in a cluster (SPUBLISH and SSUBSCRIBE): `'auto'` when the cluster
   * can do that, `'on'` always, `'off'` never. The same on every process that shares the objects,
   * as Redisson's setting of this name: between two that differ no message gets through, so that
   * waiters here get in by a poll only, within 5 s, and Java's may wait for ever. Without
   * meaning outside clusters. Default `'auto'`.
   */
  shardedSubscriptionMode?: 'auto' | 'on' | 'off' | undefined;
  /**
   * How a plain, fenced, fair or write lock that others wait for goes on. `'strict'`: its release gives it to
   * the client that waits longest, of a fair lock to its first waiter; a write lock to that writer, unless
   * readers have waited for longer. `'direct'`: the same, but a client that was given a lock passes it on
   * among its own waiters, at most 64 times (a fenced or fair lock 16 times) or for 6 ms while others wait,
   * without asking Redis each time; a fair lock only to those who come next in any case, a write lock only
   * while no reader waits.
   * Clients that differ in this can share a lock. A client that the server does not see listen (in a cluster
   * without sharded messages, behind a proxy, or for want of a right) asks every 250 ms while it waits.
   * Default `'direct'`.
   */
  handOff?: 'direct' | 'strict' | undefined;
  /**
   * Says which acquisitions re-enter a lock. `'scope'`: an acquisition inside the async scope of a hold, and
   * one whose `within` names a hold. `'explicit'`: only `within`; a scope neither lets in nor refuses.
   * That is for services whose requests share queues, pools, timers or listeners: the work of one
   * request may run in the scope of another there, and would get in beside it. Default `'scope'`.
   */
  reentry?: 'scope' | 'explicit' | undefined;
  /**
   * How many replicas have to have a grant before its acquisition resolves: for locks of every kind and permits
   * with a lease, not for what has no lease. An acquisition may take one of its own. By default none.
   */
  replicas?: ReplicasOptions | undefined;
  /**
   * The server lists the connections of this client (`CLIENT LIST`) as `redlatch:<label>`, in which characters
   * that it refuses in a name are `_`. 1 to 64 characters, default the first 64 of `process.title`. A template that
   * names its connections (`connectionName`, in node-redis `name`) keeps its name. A server that refuses the name is
   * used without it.
   */
  label?: string | undefined;
  /**
   * Gives what to sign in with at a server, in the place of `username` and `password` of the template, whose user
   * counts where it names none. It is called before each connection, with the address of its server (the path and the
   * port 0 for a socket of the machine), and again before `expiresAtMs`; never for a Sentinel. Where it throws, rejects
   * or gives something else, or has not answered within the larger of `commandTimeoutMs` and 2 s, there is no
   * connection for that reason, and it is called again soon.
   */
  credentials?:
    | ((server: { host: string; port: number }) => Credentials | Promise<Credentials>)
    | undefined;
}

const OF_ACQUISITIONS = 'each acquisition takes its own';
const OF_THE_DRIVER = 'an option of ioredis, which goes into redis: { ... }';

/** Options of other calls, which the options of a client do not have. */
export const NOT_OF_CLIENT: Readonly<Record<string, string>> = {
  signal: OF_ACQUISITIONS,
  timeoutMs: 'close takes it, and the limit of one command is commandTimeoutMs',
};

const OPTIONS: OptionSet = {
  of: 'createClient',
  known: [
    'redis',
    'keyPrefix',
    'leaseMs',
    'commandTimeoutMs',
    'waitMs',
    'maxWaiters',
    'stalledAfterMs',
    'shardedSubscriptionMode',
    'handOff',
    'reentry',
    'replicas',
    'label',
    'credentials',
  ],
  elsewhere: {
    ...NOT_OF_CLIENT,
    ...Object.fromEntries(DRIVER_OPTIONS.map((name) => [name, OF_THE_DRIVER])),
  },
};

/** The options of a client, checked. */
export interface CheckedOptions {
  readonly endpoint: Endpoint;
  readonly keyPrefix: string;
  readonly settings: Settings & RouterSettings;
}

/** Reads what `createClient` was given; throws a TypeError or RangeError that says what to write. */
export function readClientOptions(given: unknown): CheckedOptions {
  const options = optionsOf(given);
  const settings = { ...readSettings(options), replicas: checkReplicas(options) };
  const own = options.keyPrefix;
  const ownPrefix = own === undefined ? undefined : checkKeyPrefix('keyPrefix', own);
  const label = checkLabel(options.label);
  const credentials = checkSource(options.credentials);
  const { keyPrefix, ...read } = readRedis(options.redis, credentials);
  const endpoint = labelled(read, label);
  return { endpoint, keyPrefix: onePrefix(ownPrefix, keyPrefix), settings };
}

/** Reads the settings that clients of all kinds have. */
export function readSettings(options: ClientOptions): Settings & RouterSettings {
  const { leaseMs = DEFAULT_LEASE_MS } = options;
  const { commandTimeoutMs = DEFAULT_COMMAND_TIMEOUT_MS } = options;
  const { shardedSubscriptionMode: mode = 'auto', reentry = 'scope' } = options;
  checkInteger('leaseMs', leaseMs, RENEWED_LEASE_MIN_MS, INT32_MAX);
  const { stalledAfterMs = defaultStallMs(leaseMs), waitMs } = options;
  return {
    leaseMs,
    stalledAfterMs: checkInteger('stalledAfterMs', stalledAfterMs, 1, INT32_MAX),
    commandTimeoutMs: checkInteger('commandTimeoutMs', commandTimeoutMs, 1, INT32_MAX),
    waitMs: waitMs === undefined ? undefined : checkInteger('waitMs', waitMs, 0, INT32_MAX),
    maxWaiters: checkMaxWaiters(options),
    shardedSubscriptionMode: checkChoice(
      'shardedSubscriptionMode',
      mode,
      SHARDED_SUBSCRIPTION_MODES,
    ),
    handOff: checkHandOff(options.handOff),
    reentry: checkChoice('reentry', reentry, REENTERING),
  };
}

function checkHandOff(handOff: unknown = 'direct'): HandOff {
  if (handOff === 'race') {
    throw new TypeError(
      `handOff: 'race' is no more: leave it out, or use 'strict' where no client is to pass a lock on among its own waiters`,
    );
  }
  return checkChoice('handOff', handOff, HAND_OFFS);
}

function optionsOf(given: unknown): ClientOptions {
  if (typeof given === 'string') {
    return { redis: given };
  }
  if (given === undefined) {
    return {};
  }
  if (isClientInstance(given)) {
    return { redis: given };
  }
  if (!isPlain(given)) {
    throw new TypeError(
      'options must be an object such as { redis: "redis://127.0.0.1:6379" }, a URL, a Redis or Cluster of ioredis 5, ' +
        `ioredis 6 or iovalkey, or a client or cluster of node-redis 4 to 6; got ${describeGiven(given)}`,
    );
  }
  return checkOptions('options', given, OPTIONS);
}

/** Reads `redis`; without it REDIS_URL, which an error names, since the caller may not know of it. */
function readRedis(
  redis: RedisTemplate | undefined,
  credentials: CredentialsSource | undefined,
): ReadTemplate {
  const { REDIS_URL } = process.env;
  if (redis !== undefined || REDIS_URL === undefined) {
    return readTemplate(redis === undefined ? DEFAULT_URL : redis, credentials);
  }
  try {
    return readTemplate(REDIS_URL, credentials);
  } catch (error) {
    throw new TypeError(`REDIS_URL: ${asError(error).message}`, { cause: error });
  }
}

/** A program that moves its prefix from the template to the client must not end up with two, nor
 * with half of its processes on another prefix. */
function onePrefix(own: string | undefined, ofTemplate: string): string {
  if (own !== undefined && ofTemplate !== '' && own !== ofTemplate) {
    throw new TypeError(
      `keyPrefix is ${describe(own)} and redis.keyPrefix is ${describe(ofTemplate)}: give one, ` +
        'or the same twice',
    );
  }
  return own ?? ofTemplate;
}

/** Locks of other libraries take their lease or timeout when they are made: here it would be ignored. */
export function refuseOptions(getter: string, extra: unknown): void {
  if (typeof extra === 'object' && extra !== null) {
    throw new TypeError(
      getter === 'getCountDownLatch'
        ? `${getter} takes a name only: trySetCount sets the count`
        : `${getter} takes a name only: each acquisition takes waitMs, leaseMs and signal`,
    );
  }
}
