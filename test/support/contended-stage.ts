// Holders that are asked to yield: of each kind of lock, and who hears of it.

import type { Redis } from 'ioredis';
import type { Client, Lock } from '../../src/index.js';

/** A listener, and how often it was called. */
export function ear(): { listener: () => void; calls: number } {
  const it = { calls: 0, listener: () => void (it.calls += 1) };
  return it;
}

/** The server sees this client listen. */
export const listens = async (raw: Redis, { id }: Client): Promise<boolean> =>
  (await raw.pubsub('NUMSUB', `redlatch:${id}`))[1] === 1;

const queueOf = async (raw: Redis, name: string): Promise<number> =>
  await raw.llen(`redlatch_line:{${name}}`);

/** How many wait in the line of each: `lengthOf`. */
export const kinds = [
  {
    kind: 'lock',
    of: (client: Client, name: string): Lock => client.getLock(name),
    lengthOf: queueOf,
  },
  {
    kind: 'fenced-lock',
    of: (client: Client, name: string): Lock => client.getFencedLock(name),
    lengthOf: queueOf,
  },
  {
    kind: 'write-lock',
    of: (client: Client, name: string): Lock => client.getReadWriteLock(name).writeLock,
    lengthOf: async (raw: Redis, name: string): Promise<number> =>
      await raw.zcard(`redlatch_writers:{${name}}`),
  },
  {
    kind: 'fair-lock',
    of: (client: Client, name: string): Lock => client.getFairLock(name),
    lengthOf: async (raw: Redis, name: string): Promise<number> =>
      await raw.llen(`redisson_lock_queue:{${name}}`),
  },
] as const;
