// Whether a server is one that this library can use.

import type { UnsupportedServerError } from '../../server-errors.js';
import { OLDEST_REDIS } from '../base/constants.generated.js';
import { isReplyError, type Redis } from './driver.js';
import { NEEDED, NODE_OF_CLUSTER, unsupportedServer } from './server-errors.js';

/** Looks at the server behind a new connection. Where it does not say what it is (a user may have no
 * right to ask, or a proxy hides it), nothing is assumed. Resolves with undefined when it can be used. */
export async function whyUnsupported(
  redis: Redis,
  isCluster: boolean,
): Promise<UnsupportedServerError | undefined> {
  const [version, isNode] = await Promise.all([
    fieldOf(redis, 'server', 'redis_version'),
    isCluster ? '0' : fieldOf(redis, 'cluster', 'cluster_enabled'),
  ]);
  if (version !== undefined && isOlder(version, OLDEST_REDIS)) {
    return unsupportedServer('', { found: `Redis ${version}`, needed: NEEDED, cause: undefined });
  }
  return isNode === '1' && !(await servesAlone(redis))
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

/** A field of INFO; undefined where the server does not tell. */
async function fieldOf(redis: Redis, section: string, field: string): Promise<string | undefined> {
  const info = await answerOf(redis, 'INFO', section);
  return new RegExp(`^${field}:(.*?)\r?$`, 'mu').exec(String(info))?.[1];
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
