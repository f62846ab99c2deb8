// What is left on the server when everything was released and closed: nothing, or what a test names.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { BrokenPromise } from './broken-promise.js';
import { eventually } from './eventually.js';
import { channelsUnder, keysUnder, rawClient } from './redis.js';

/** Private records of calls and lines, and the queue of a fair lock: they expire by themselves. */
export const RECORDS_OF_LINES: RegExp =
  /(?:redlatch_(?:cancelled|requests|line|writers|tickets|beats)|redisson_lock_(?:queue|timeout)):/;

/** Whether a key is the record of leases of a semaphore, without a lease: it stands beside its semaphore. */
export async function hasNoLease(key: string, client: Redis): Promise<boolean> {
  if (!key.startsWith('redlatch_leases:')) {
    return false;
  }
  const members = await client.zrange(key, '0', '2');
  return members.every((member) => member === 'total' || member === 'idle');
}

/**
 * Whether a key only records that a semaphore was deleted, when its numbers were stated, or how many permits it has:
 * these are kept for a day or longer.
 */
async function isOfSemaphore(key: string, client: Redis): Promise<boolean> {
  if (/^redlatch_(?:deleted|statements):/.test(key)) {
    return true;
  }
  if (await hasNoLease(key, client)) {
    return true;
  }
  return key.startsWith('redlatch_permits:') && (await client.hkeys(key)).join() === 'deleted';
}

/** How much later something may be gone to be late, on a busy machine, and not left. */
const LATE_MS = 5_000;

interface Within {
  readonly withinMs?: number;
  readonly lateMs?: number;
}

/** Waits until nothing is left. What is gone only later fails too, and is no broken promise. */
export async function untilGone(
  check: () => Promise<void>,
  { withinMs = 2_000, lateMs = LATE_MS }: Within = {},
): Promise<void> {
  try {
    await eventually(check, { withinMs });
  } catch (late) {
    try {
      await eventually(check, { withinMs: lateMs });
    } catch (error) {
      throw new BrokenPromise(error instanceof Error ? error.message : String(error), {
        cause: error,
        mayFollow: true,
      });
    }
    throw late;
  }
}

/**
 * Fails if a key that contains the text stays, beyond those allowed and what is kept of semaphores. Private records
 * may stay if they are named here and carry a TTL; a key without one is residue whatever its name.
 *
 * @param allow keys that may stay, if they expire by themselves
 */
export async function expectNoResidue(
  text: string,
  {
    allow = [],
    client = rawClient(),
    ...within
  }: { allow?: (string | RegExp)[]; client?: Redis } & Within = {},
): Promise<void> {
  await untilGone(async () => {
    const residue: string[] = [];
    for (const key of await keysUnder(text, client)) {
      const ttlMs = await client.pttl(key);
      const allowed = allow.some((rule) =>
        typeof rule === 'string' ? key === rule : rule.test(key),
      );
      // -2: it went away between the scan and this look.
      if (ttlMs === -1 || (!allowed && ttlMs !== -2 && !(await isOfSemaphore(key, client)))) {
        residue.push(`${key} (ttl ${ttlMs})`);
      }
    }
    expect(residue, `left on the server: ${residue.join(', ')}`).toEqual([]);
  }, within);
}

/** Fails if a channel that contains the text keeps a subscriber. */
export async function expectNoChannels(
  text: string,
  { client = rawClient(), ...within }: { client?: Redis } & Within = {},
): Promise<void> {
  await untilGone(async () => {
    const channels = await channelsUnder(text, client);
    expect(channels, `still subscribed: ${channels.join(', ')}`).toEqual([]);
  }, within);
}
