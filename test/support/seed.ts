// The seed of the tests that choose at random. They draw none: what they test is a function of the commit.
//
//   REDLATCH_TEST_SEED=17  another one, to repeat a run that failed or to search

const { REDLATCH_TEST_SEED: given } = process.env;

/** The seed that was given; undefined: each test has fixed ones. */
export const givenSeed: number | undefined = given === undefined ? undefined : Number(given);

/** For a test with one seed. */
export const seed: number = givenSeed ?? 41_557;
