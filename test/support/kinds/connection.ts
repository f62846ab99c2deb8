import type { Redis } from 'ioredis';
import { rawClient } from '../redis.js';

let shared: Redis | undefined;

/** A connection that looks at a server: the file's own one for the shared server. */
export function ask(url?: string): Redis {
  if (url !== undefined) {
    return rawClient(url);
  }
  shared ??= rawClient();
  return shared;
}

/** Redisson's rule for what goes in front of a name. */
export function prefixed(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}
