// Several worker processes that act as one.

import type { Redis } from 'ioredis';
import { BrokenPromise } from '../support/broken-promise.js';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';

/** Starts so many workers of a kind and waits until all of them are ready. */
export async function startCrowd(
  script: string,
  count: number,
  args: (index: number) => readonly (string | number)[],
): Promise<Worker[]> {
  const crowd = Array.from({ length: count }, (_, i) =>
    startWorker(script, { args: args(i).map(String), env: { REDLATCH_TEST_PLACE: String(i) } }),
  );
  await heard(crowd, 'ready');
  return crowd;
}

/** Tells all the same. */
export function tell(crowd: readonly Worker[], message: WorkerMessage): void {
  for (const worker of crowd) {
    worker.send(message);
  }
}

/** Waits for a message of each. */
export async function heard<T extends WorkerMessage = WorkerMessage>(
  crowd: readonly Worker[],
  type: string,
  options: { withinMs?: number } = {},
): Promise<T[]> {
  return await Promise.all(crowd.map(async (worker) => await worker.message<T>(type, options)));
}

/** What `workers/gauge.mjs` has counted. */
export interface Counts {
  readonly shared: number;
  readonly alone: number;
  /** Who came upon somebody who should not have been there. */
  readonly clashes: number;
  /** Most that shared it at once. */
  readonly peak: number;
  /** How often as many shared it as may. */
  readonly full: number;
  readonly entries: number;
  readonly sharedEntries: number;
  readonly aloneEntries: number;
  /** Longest time in which nobody entered. */
  readonly gapMs: number;
  /** How many came with a fencing token, and how many of those not with the largest so far. */
  readonly tokens: number;
  readonly oldTokens: number;
}

export async function countsOf(raw: Redis, gauge: string): Promise<Counts> {
  const fields = await raw.hgetall(gauge);
  const count = (field: string): number => Number(fields[field] ?? 0);
  return {
    shared: count('shared'),
    alone: count('alone'),
    clashes: count('clashes'),
    peak: count('peak'),
    full: count('full'),
    entries: count('entries'),
    sharedEntries: count('sharedEntries'),
    aloneEntries: count('aloneEntries'),
    gapMs: count('gapMs'),
    tokens: count('tokens'),
    oldTokens: count('oldTokens'),
  };
}

/**
 * Fails unless nobody came upon somebody who should not have been there, and each fencing token was the largest so far.
 *
 * @throws BrokenPromise
 */
export function expectExclusion(...all: readonly Pick<Counts, 'clashes' | 'oldTokens'>[]): void {
  for (const { clashes, oldTokens } of all) {
    if (clashes > 0 || oldTokens > 0) {
      throw new BrokenPromise(`${clashes} times two were in, ${oldTokens} tokens did not grow`);
    }
  }
}
