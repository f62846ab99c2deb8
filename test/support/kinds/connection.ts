import type { Redis } from 'ioredis';
import { rawClient, sharedClient } from '../redis.js';

/** A connection that looks at a server: the file's own one for the shared server. */
export function ask(url?: string): Redis {
  return url === undefined ? sharedClient() : rawClient(url);
}

/** Redisson's rule for what goes in front of a name. */
export function prefixed(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}
