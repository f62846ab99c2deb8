// @ts-check
// Random numbers of a worker: the same for the seed of the tests and the place of the worker in its crowd.

import { randomFrom } from '../../../scripts/lib/random.mjs';

const { REDLATCH_TEST_SEED: seed = '41557', REDLATCH_TEST_PLACE: place = '0' } = process.env;

/** From 0 up to, and without, 1. */
export const random = randomFrom(Number(seed) + Number(place));
