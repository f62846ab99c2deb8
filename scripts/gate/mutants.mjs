// @ts-check
// The mistakes on purpose that the gate makes, always the same: one of each kind of object, and one for each of the
// newest guards. All of them: `npm run mutants`.

/** Ids of test/mutants/semantic. */
export const MUTANTS = [
  'release-without-owner',
  'token-goes-back',
  'fair-newcomer-first',
  'reader-passes-writer',
  'more-than-there-are',
  'permit-held-at-expiry',
  'latch-below-zero',
  'renewal-only-asks',
  'joint-any-order',
  'quorum-restarted-votes',
  'adopted-id-unburnt',
  'older-statement-replaces',
];
