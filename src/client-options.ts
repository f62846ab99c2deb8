import { HAND_OFFS, type Settings } from './core/client-services.js';
import type { RouterSettings } from './core/connection/create-router.js';
import {
  checkChoice,
  checkInteger,
  INT32_MAX,
  RENEWED_LEASE_MIN_MS,
} from './core/base/arguments.js';
import { checkKeyPrefix, describe } from './core/base/key-names.js';
import { checkOptions, isPlain, type OptionSet } from './core/base/options.js';
import { SHARDED_SUBSCRIPTION_MODES } from './core/connection/cluster-router.js';
import { defaultStallMs } from './core/observe/slow-wait.js';
import type { Endpoint, RedisTemplate } from './core/connection/driver-types.js';
import { DRIVER_OPTIONS, readTemplate, type ReadTemplate } from './core/connection/endpoint.js';
import { asError } from './core/wire/replies.js';
import { describeGiven, isInstance } from './core/connection/template.js';

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
   * A URL, ioredis options, or a Redis or Cluster instance of ioredis or iovalkey, used as a
   * template: the client opens its own connections from it, never writes to it and never closes it.
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
  /** A wait that has lasted so many milliseconds is told by the event `stalled`, and again at two,
   * four, eight times that: 1 to 2147483647, default a third of `leaseMs`, but at least 3000. */
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
   * How a plain, fenced, fair or write lock that others wait for goes on. `'race'`: its release frees it,
   * and whoever asks first gets in, or the first waiter of a fair lock. `'strict'`: its release gives it to
   * the client that waits longest, of a fair lock to its first waiter; a write lock to that writer, unless
   * readers have waited for longer. `'direct'`: the same, but a client that was given a lock passes it on
   * among its own waiters, at most 64 times (a fenced or fair lock 16 times) or for 6 ms while others wait,
   * without asking Redis each time; a fair lock only to those who come next in any case, a write lock only
   * while no reader waits.
   * Clients that differ in this can share a lock. In a cluster without sharded messages always `'race'`.
   * Default `'direct'`.
   */
  handOff?: 'direct' | 'strict' | 'race' | undefined;
}

const OF_ACQUISITIONS = 'each acquisition takes its own';
const OF_THE_DRIVER = 'an option of ioredis, which goes into redis: { ... }';

const OPTIONS: OptionSet = {
  of: 'createClient',
  known: [
    'redis',
    'keyPrefix',
    'leaseMs',
    'commandTimeoutMs',
    'stalledAfterMs',
    'shardedSubscriptionMode',
    'handOff',
  ],
  elsewhere: {
    waitMs: OF_ACQUISITIONS,
    signal: OF_ACQUISITIONS,
    timeoutMs: 'close takes it, and the limit of one command is commandTimeoutMs',
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
  const { leaseMs = DEFAULT_LEASE_MS } = options;
  const { commandTimeoutMs = DEFAULT_COMMAND_TIMEOUT_MS } = options;
  const { shardedSubscriptionMode: mode = 'auto' } = options;
  checkInteger('leaseMs', leaseMs, RENEWED_LEASE_MIN_MS, INT32_MAX);
  const { stalledAfterMs = defaultStallMs(leaseMs) } = options;
  const settings = {
    leaseMs,
    stalledAfterMs: checkInteger('stalledAfterMs', stalledAfterMs, 1, INT32_MAX),
    commandTimeoutMs: checkInteger('commandTimeoutMs', commandTimeoutMs, 1, INT32_MAX),
    shardedSubscriptionMode: checkChoice(
      'shardedSubscriptionMode',
      mode,
      SHARDED_SUBSCRIPTION_MODES,
    ),
    handOff: checkChoice('handOff', options.handOff ?? 'direct', HAND_OFFS),
  };
  const own = options.keyPrefix;
  const ownPrefix = own === undefined ? undefined : checkKeyPrefix('keyPrefix', own);
  const { keyPrefix, ...endpoint } = readRedis(options.redis);
  return { endpoint, keyPrefix: onePrefix(ownPrefix, keyPrefix), settings };
}

function optionsOf(given: unknown): ClientOptions {
  if (typeof given === 'string') {
    return { redis: given };
  }
  if (given === undefined) {
    return {};
  }
  if (isInstance(given)) {
    return { redis: given };
  }
  if (!isPlain(given)) {
    throw new TypeError(
      'options must be an object such as { redis: "redis://127.0.0.1:6379" }, a URL, or a Redis ' +
        `or Cluster of ioredis 5, ioredis 6 or iovalkey; got ${describeGiven(given)}`,
    );
  }
  return checkOptions('options', given, OPTIONS);
}

/** Reads `redis`; without it REDIS_URL, which an error names, since the caller may not know of it. */
function readRedis(redis: RedisTemplate | undefined): ReadTemplate {
  const { REDIS_URL } = process.env;
  if (redis !== undefined || REDIS_URL === undefined) {
    return readTemplate(redis === undefined ? DEFAULT_URL : redis);
  }
  try {
    return readTemplate(REDIS_URL);
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
