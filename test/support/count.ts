import { expect } from 'vitest';
import type { CountDownLatch } from '../../src/index.js';
import { promised } from './broken-promise.js';

/** Fails at first sight: a call that counts was carried out twice, or not at all. */
export async function expectCount(latch: CountDownLatch, count: number): Promise<void> {
  const counted = await latch.count();
  promised('each call that counts is carried out once', () => expect(counted).toBe(count));
}
