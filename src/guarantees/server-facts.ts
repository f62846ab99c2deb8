import { isReplyError } from '../core/connection/driver.js';
import type { Query } from '../core/connection/router.js';
import { fieldOf, memoryIn, numberIn, type Memory } from '../core/connection/server-check.js';
import { isNotNow } from '../core/connection/error-answers.js';

/** How much of what was written survives a restart of the server. */
export type Persistence = 'none' | 'snapshot' | 'everysec' | 'always';

/** What a server reports about itself. Null or undefined: it hides that. */
export interface ServerFacts {
  readonly product: string | undefined;
  readonly version: string | undefined;
  readonly replicas: number | null;
  readonly persistence: Persistence | null;
  readonly memory: Memory;
  /** How many connections to this server listen to a channel. */
  readonly listeners: number | null;
  /** Whether it can also be asked for those of channels in its slots. */
  readonly countsSharded: boolean;
}

/** What a server reports about itself to this user, and who listens to `channel` there. A right that is
 * missing is no error. */
export async function factsOf(query: Query, channel: string): Promise<ServerFacts> {
  const [info, save, appendfsync, plain, sharded] = await Promise.all([
    ifAllowed(query('INFO')),
    ifAllowed(query('CONFIG', 'GET', 'save')),
    ifAllowed(query('CONFIG', 'GET', 'appendfsync')),
    ifAllowed(query('PUBSUB', 'NUMSUB', channel)),
    ifAllowed(query('PUBSUB', 'SHARDNUMSUB', channel)),
  ]);
  return {
    ...identityOf(info),
    replicas: numberIn(info, 'connected_slaves'),
    persistence: persistenceOf(info, settingOf(save), settingOf(appendfsync)),
    memory: memoryIn(info),
    listeners: Array.isArray(plain) ? Number(plain[1]) : null,
    countsSharded: sharded !== undefined,
  };
}

/** Undefined where the server refuses to answer this user. */
async function ifAllowed(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    // A server that is busy hides nothing.
    if (isReplyError(error) && !isNotNow(error)) {
      return undefined;
    }
    throw error;
  }
}

/** A fork of Redis reports its own version beside that of the Redis that it is like. */
function identityOf(info: unknown): Pick<ServerFacts, 'product' | 'version'> {
  const likeRedis = fieldOf(info, 'redis_version');
  const name = fieldOf(info, 'server_name') ?? (likeRedis === undefined ? undefined : 'redis');
  return { product: name, version: fieldOf(info, `${name}_version`) ?? likeRedis };
}

function persistenceOf(
  info: unknown,
  save: string | undefined,
  appendfsync: string | undefined,
): Persistence | null {
  switch (fieldOf(info, 'aof_enabled')) {
    case '1':
      if (appendfsync === 'no') {
        // The system writes the log out when it likes: no better than a snapshot.
        return 'snapshot';
      }
      return appendfsync === 'always' || appendfsync === 'everysec' ? appendfsync : null;
    case '0':
      return save === undefined ? null : save === '' ? 'none' : 'snapshot';
    default:
      return null;
  }
}

/** The value in an answer to CONFIG GET, which is a list, or a map with RESP3. */
function settingOf(answer: unknown): string | undefined {
  if (Array.isArray(answer)) {
    return answer.length > 1 ? String(answer[1]) : undefined;
  }
  const values: unknown[] =
    typeof answer === 'object' && answer !== null ? Object.values(answer) : [];
  return values.length > 0 ? String(values[0]) : undefined;
}
