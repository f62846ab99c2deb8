// A permit-expirable semaphore as it is stored.

import { expect } from 'vitest';
import type { World } from './world.js';

/** What Java writes for a permit that never expires. */
export const NEVER = '922337203685477';

export interface Pool {
  readonly left: string | null;
  /** Permits in hex, and when they expire. */
  readonly taken: Record<string, string>;
}

/** What is stored of a semaphore. Fails if a permit is not 16 bytes, or a score no plain integer. */
export async function poolOf({ raw, name }: Pick<World, 'raw' | 'name'>): Promise<Pool> {
  const entries = await raw.zrangeBuffer(`{${name}}:timeout`, '0', '-1', 'WITHSCORES');
  const taken: Record<string, string> = {};
  for (let i = 0; i < entries.length; i += 2) {
    expect(entries[i]).toHaveLength(16);
    expect(String(entries[i + 1])).toMatch(/^\d{13,15}$/);
    taken[entries[i]!.toString('hex')] = String(entries[i + 1]);
  }
  return { left: await raw.get(name), taken };
}

export async function serverMs({ raw }: Pick<World, 'raw'>): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
