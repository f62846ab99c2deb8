// The channel of a latch, as Redisson names it outside clusters.

import type { Redis } from 'ioredis';
import { eventually } from './eventually.js';

/** Redisson puts braces around the whole name, tagged or not. */
export function latchChannel(name: string): string {
  return `redisson_countdownlatch__channel__{${name}}`;
}

/** Waits until so many connections listen: a wait listens once it has seen a positive count. */
export async function listening(raw: Redis, name: string, count = 1): Promise<void> {
  await eventually(async () => {
    const answer = (await raw.call('PUBSUB', 'NUMSUB', latchChannel(name))) as [string, number];
    return answer[1] === count;
  });
}
