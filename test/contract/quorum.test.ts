// The suites of every lock, for those that a majority of servers holds.

import { describe } from 'vitest';
import { quorumLocks } from '../support/kinds/quorum.js';
import { boundReentrySuite, boundSuite } from './bounds.js';
import { branchSuite } from './branches.js';
import { cancellationSuite } from './cancellation.js';
import { mutualExclusionSuite } from './mutual-exclusion.js';
import { reentrySuite } from './reentry.js';
import { scopeSuite } from './scopes.js';
import { deadlockSuite, withinSuite } from './within.js';

const kinds = await quorumLocks();

for (const kind of kinds) {
  mutualExclusionSuite(kind);
}
// The kinds side by side: most of the time passes until waits end.
describe.concurrent.each(kinds)('$what', (kind) => {
  reentrySuite(kind);
  branchSuite(kind);
  deadlockSuite(kind);
  scopeSuite(kind);
  withinSuite(kind);
  cancellationSuite(kind);
  boundSuite(kind);
  boundReentrySuite(kind);
});
