// What the tests of the counting semaphore share.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { Proxy } from '../../support/proxy.js';

/** Where Redisson tells that permits are available. */
export function channelOf(name: string): string {
  return name.includes('{') ? `redisson_sc:${name}` : `redisson_sc:{${name}}`;
}

/** Waits until so many connections listen: a wait listens once it was told that nothing fits. */
export async function listening(raw: Redis, name: string, count = 1): Promise<void> {
  await eventually(async () => {
    const answer = (await raw.pubsub('NUMSUB', channelOf(name))) as [string, number];
    return answer[1] === count;
  });
}

/** How often a script ran through this proxy. */
export function scriptsOf(proxy: Proxy): number {
  return proxy.requests().filter(([command]) => /^eval/i.test(command ?? '')).length;
}

/** The bytes of the last script call that went through, to be sent again by hand. */
export function lastScript(proxy: Proxy): [string, ...string[]] {
  const last = proxy.requests().findLast(([command]) => /^eval/i.test(command ?? ''));
  const [command = '', ...args] = last ?? [];
  return [command, ...args];
}

/** Fails unless it has so many permits, now or in a moment. */
export async function expectAvailable(semaphore: Semaphore, permits: number): Promise<void> {
  await eventually(async () => {
    expect(await semaphore.availablePermits()).toBe(permits);
  });
}
