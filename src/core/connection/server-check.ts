// Which server is behind a connection, and whether this library can use it.

import type { UnsupportedServerError } from '../../server-errors.js';
import { OLDEST_REDIS } from '../base/constants.generated.js';
import { isReplyError, type Redis } from './driver.js';
import { NEEDED } from './error-answers.js';
import { NODE_OF_CLUSTER, unsupportedServer } from './server-errors.js';

/** The server behind a connection, as far as it is known. */
export interface Examined {
  /** Undefined when it can be used. */
  readonly unsupported: UnsupportedServerError | undefined;
  /** Each start of a server has another one; undefined where it is hidden. */
  readonly runId: string | undefined;
  readonly memory: Memory;
  readonly standing: Standing;
  /** By its clock, when it answered; null: it hides that, or it was not requested. */
  readonly timeMs: number | null;
}

/** How long a server has been up, and whether it is a master. Null or undefined: it hides that. */
interface Standing {
  /** In whole seconds. */
  readonly uptimeS: number | null;
  readonly role: string | undefined;
  /** It is a master, and was a replica since its start. */
  readonly wasReplica: boolean;
  /** Connected replicas. */
  readonly replicas: number | null;
}

/** What a server does when its memory is full. Null: it hides that. */
export interface Memory {
  /** In bytes; 0: there is no limit. */
  readonly maxmemory: number | null;
  readonly policy: string | null;
}

/** Examines the server behind a new connection. Where it does not report what it is (a user may have no
 * right to request it, or a proxy hides it), nothing is assumed. */
export async function examine(redis: Redis, isCluster: boolean): Promise<Examined> {
  // All sections at once: an older Redis takes one name or none.
  const info = await answerOf(redis, 'INFO');
  const unsupported = await whyUnsupported(redis, {
    version: fieldOf(info, 'redis_version'),
    isNode: !isCluster && fieldOf(info, 'cluster_enabled') === '1',
  });
  const micros = numberIn(info, 'server_time_usec');
  const timeMs = micros === null ? null : Math.floor(micros / 1_000);
  return { unsupported, timeMs, ...factsIn(info) };
}

/** Examines the server behind a new connection that listens only. */
export async function identify(redis: Redis): Promise<Examined> {
  const info = await answerOf(redis, 'INFO', 'server');
  return { unsupported: undefined, timeMs: null, ...factsIn(info) };
}

function factsIn(info: unknown): Omit<Examined, 'unsupported' | 'timeMs'> {
  const standing = {
    uptimeS: numberIn(info, 'uptime_in_seconds'),
    role: fieldOf(info, 'role'),
    // -1 where it was none.
    wasReplica: numberIn(info, 'second_repl_offset') !== null,
    replicas: numberIn(info, 'connected_slaves'),
  };
  return { runId: fieldOf(info, 'run_id'), memory: memoryIn(info), standing };
}

/** What an answer to INFO reports about memory. */
export function memoryIn(info: unknown): Memory {
  return {
    maxmemory: numberIn(info, 'maxmemory'),
    policy: fieldOf(info, 'maxmemory_policy') ?? null,
  };
}

/** Whether a server removes keys to make room for others; null: it hides that. */
export function evicts({ maxmemory, policy }: Memory): boolean | null {
  if (maxmemory === 0 || policy === 'noeviction') {
    return false;
  }
  return maxmemory === null || policy === null ? null : true;
}

async function whyUnsupported(
  redis: Redis,
  { version, isNode }: { version: string | undefined; isNode: boolean },
): Promise<UnsupportedServerError | undefined> {
  if (version !== undefined && isOlder(version, OLDEST_REDIS)) {
    return unsupportedServer('', { found: `Redis ${version}`, needed: NEEDED, cause: undefined });
  }
  return isNode && !(await servesAlone(redis))
    ? unsupportedServer('', { ...NODE_OF_CLUSTER, cause: undefined })
    : undefined;
}

/** Whether one connection is enough for a cluster: it emulates one, or has no other node. Clients of a
 * cluster that shards its messages would not hear those of this client. */
async function servesAlone(redis: Redis): Promise<boolean> {
  const [slots, isSharded] = await Promise.all([
    answerOf(redis, 'CLUSTER', 'SLOTS'),
    answerOf(redis, 'PUBSUB', 'SHARDNUMSUB'),
  ]);
  return isSharded === undefined && nodesIn(slots).size < 2;
}

/** The nodes in an answer to CLUSTER SLOTS, replicas too. */
function nodesIn(slots: unknown): Set<string> {
  const nodes = (Array.isArray(slots) ? slots : []).flatMap((range: unknown) =>
    (Array.isArray(range) ? range : []).filter((each: unknown) => Array.isArray(each)),
  );
  return new Set(nodes.map(([host, port]: unknown[]) => `${String(host)}:${String(port)}`));
}

/** A field of an answer to INFO; undefined where it has none. */
export function fieldOf(info: unknown, field: string): string | undefined {
  return new RegExp(`^${field}:(.*?)\r?$`, 'mu').exec(String(info))?.[1];
}

/** A number in an answer to INFO; null where it has none. */
export function numberIn(info: unknown, field: string): number | null {
  const text = fieldOf(info, field) ?? '';
  return /^\d+$/u.test(text) ? Number(text) : null;
}

/** Undefined where the server refuses to answer. */
async function answerOf(redis: Redis, command: string, ...args: string[]): Promise<unknown> {
  try {
    return await redis.call(command, args);
  } catch (error) {
    if (isReplyError(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Whether the numbers of a version are smaller; not so where it is no version. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number));
  for (const [place, needed] of (b ?? []).entries()) {
    const found = a?.[place] ?? 0;
    if (found !== needed) {
      return found < needed;
    }
  }
  return false;
}
