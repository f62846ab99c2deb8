// Which random runs a property test makes: always the same few, or those of the seed that is given.
//
//   REDLATCH_TEST_SEED=17  only this seed
//   REDLATCH_TEST_RUNS=99  runs per seed, to search for longer

import { test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { givenSeed, seed as usualSeed } from '../support/seed.js';
import type { World, Worlds } from './world.js';

const { REDLATCH_TEST_RUNS: runs = '8' } = process.env;

/** Seeds for `test.each`. */
export const seeds: readonly number[] =
  givenSeed === undefined ? [1, 2026, usualSeed] : [givenSeed];

process.stderr.write(`property seeds: ${seeds.join(', ')}\n`);

/**
 * Settings for `fc.assert`, which prints seed, path and commands of a failure. It does not shrink:
 * each try would cost seconds.
 */
export function runSettings(seed: number): { seed: number; numRuns: number; endOnFailure: true } {
  return { seed, numRuns: Number(runs), endOnFailure: true };
}

/** Longest time for the runs of one seed, and for the search for the shortest failure after that. */
const LIMIT_MS = 60_000 + 1_500 * Number(runs);

/** What a model test is made of. */
export interface ModelTest<M extends object, R extends World> {
  readonly worlds: Worlds;
  readonly commands: fc.Arbitrary<fc.AsyncCommand<M, R>>[];
  /** Commands of one run at most; default 30. */
  readonly maxCommands?: number;
  readonly setup: (world: World) => { model: M; real: R };
  /** Waits until what is real is as the model has it. */
  readonly check: (model: M, real: R) => Promise<void>;
  /** Everybody gives back what they have; fails unless nothing is left then. */
  readonly finish: (model: M, real: R) => Promise<void>;
}

/**
 * Tests that any commands keep to the model. A failure is shrunk for as long as time allows; its
 * seed, path and commands are printed.
 */
export function testModel<M extends object, R extends World>(
  title: string,
  { worlds, commands, maxCommands = 30, setup, check, finish }: ModelTest<M, R>,
): void {
  test.each(seeds)(`${title}, seed %i`, { timeout: LIMIT_MS + 30_000 }, async (seed) => {
    const property = fc.asyncProperty(
      fc.commands(commands, { size: 'max', maxCommands }),
      async (sequence) => {
        const world = worlds.create();
        const { model, real } = setup(world);
        let failed = true;
        try {
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          await Promise.all(world.routes.map(async (route) => await route.mend()));
          // What came late by that is given back before anything is counted.
          await check(model, real);
          await finish(model, real);
          failed = false;
        } finally {
          await worlds.end(world, failed);
        }
      },
    );

    await fc.assert(property, {
      seed,
      numRuns: Number(runs),
      plugins: [fc.interruptAfterTimeLimit(LIMIT_MS, { failOnInterrupt: true })],
    });
  });
}
