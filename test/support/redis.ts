// The shared Redis of a run. It may be somebody's: only names under this run's prefix are touched.

import { randomBytes } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { inject } from 'vitest';
import { atFileEnd } from './file-end.js';

const open = new Set<Redis>();
let shared: Redis | undefined;

atFileEnd(() => {
  for (const client of open) {
    client.disconnect();
  }
  open.clear();
  shared = undefined;
});

/** The address of the shared Redis, or what the provider started. */
export function redisUrl(): string {
  return inject('redisUrl');
}

/**
 * A plain connection to look at a server, closed after the test file.
 *
 * @param url default: the shared Redis
 */
export function rawClient(
  url: string = redisUrl(),
  options: Omit<RedisOptions, 'replyMapping'> = {},
): Redis {
  const client = new Redis(url, options);
  // A server that a test kills must not fail the test through an unheard event.
  client.on('error', () => undefined);
  open.add(client);
  return client;
}

/** The file's own one to look at the shared Redis. */
export function sharedClient(): Redis {
  shared ??= rawClient();
  return shared;
}

/** What every key of this run starts with. */
export function runPrefix(): string {
  return `redlatch-test:${inject('run')}:`;
}

/** A name nobody else uses, under the prefix of this run. */
export function randomName(prefix = 'object'): string {
  return `${runPrefix()}${prefix}-${randomBytes(6).toString('hex')}`;
}

/** Takes the special meaning from the characters that Redis patterns give one. */
function literal(text: string): string {
  return text.replaceAll(/[\\*?[\]^]/g, '\\$&');
}

/**
 * Every key that contains the text: derived keys wrap a name, as in `prefix:{name}:suffix`.
 *
 * @returns the keys in alphabetical order
 */
export async function keysUnder(text: string, client: Redis = sharedClient()): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', `*${literal(text)}*`, 'COUNT', 1000);
    cursor = next;
    for (const key of keys) {
      found.add(key);
    }
  } while (cursor !== '0');
  return [...found].toSorted();
}

/** Every channel with a subscriber, plain or sharded, that contains the text. */
export async function channelsUnder(
  text: string,
  client: Redis = sharedClient(),
): Promise<string[]> {
  const pattern = `*${literal(text)}*`;
  const plain = await client.call('PUBSUB', 'CHANNELS', pattern);
  // Redis before 7 has no sharded channels.
  const sharded = await client.call('PUBSUB', 'SHARDCHANNELS', pattern).catch(() => []);
  return [plain, sharded].flatMap((names) => (Array.isArray(names) ? names.map(String) : []));
}
