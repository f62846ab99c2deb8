// Which chaos is run, and what is left out of it.
//
//   REDLATCH_TEST_SEED=17  only this seed
//   REDLATCH_TEST_RUNS=99  so many seeds from that one on
//   REDLATCH_CHAOS_WITHOUT=contexts,forced  without these parts, to look past a known defect

import { givenSeed } from '../support/seed.js';

const { REDLATCH_TEST_RUNS: runs = '1', REDLATCH_CHAOS_WITHOUT: without = '' } = process.env;

/** Parts of the chaos that can be left out, each with what it brings. */
const PARTS = {
  contexts: 'acquisitions in listeners, and the async context in which listeners run',
  forced: 'forced releases, deletions and endings of permits by somebody else',
  regrown: 'counting semaphores that are deleted or expire, and are set again',
  bounds: 'the time within which calls settle, and half-open connections are noticed',
  crowds: 'many waits with one AbortSignal',
  residue: 'what is left of a client right after its close',
} as const;

export type Part = keyof typeof PARTS;

const left = new Set(without.split(',').filter((word) => word !== ''));
for (const word of left) {
  if (!Object.hasOwn(PARTS, word)) {
    const known = Object.keys(PARTS).join(', ');
    throw new RangeError(`REDLATCH_CHAOS_WITHOUT must name some of ${known}, got ${word}`);
  }
}

export function has(part: Part): boolean {
  return !left.has(part);
}

const from = (first: number): number[] => Array.from({ length: Number(runs) }, (_, i) => first + i);

/** Seeds for `test.each`: by default one with worker processes, one at maxmemory, a flushed one, and another. */
export const seeds: readonly number[] = givenSeed === undefined ? [1, 2, 3, 6] : from(givenSeed);

process.stderr.write(
  seeds.length > 8
    ? `chaos seeds: ${seeds[0]} to ${seeds.at(-1)}\n`
    : `chaos seeds: ${seeds.join(', ')}\n`,
);

/** What sort of trouble a seed brings besides the network's. */
export interface Profile {
  /** Everything on the server is deleted now and then: on a server of its own. */
  readonly isFlushed: boolean;
  /** The server is at maxmemory for a while: one of its own. */
  readonly isFull: boolean;
  /** Worker processes join in; they are killed and frozen. */
  readonly hasProcesses: boolean;
}

export function profileOf(seed: number): Profile {
  return { isFlushed: seed % 6 === 0, isFull: seed % 6 === 3, hasProcesses: seed % 6 === 1 };
}
