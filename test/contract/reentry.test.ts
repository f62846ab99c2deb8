import { describe } from 'vitest';
import { branchSuite } from './branches.js';
import { reentrySuite } from './reentry.js';
import { endedHoldSuite, scopeSuite, sharedLeaseSuite } from './scopes.js';
import { deadlockSuite, withinSuite } from './within.js';
import { exclusiveLocks, lockKinds } from '../support/kinds/kinds.js';

// The kinds side by side: most of the time passes until leases end.
describe.concurrent.each(exclusiveLocks)('$what', (kind) => {
  reentrySuite(kind);
  branchSuite(kind);
  deadlockSuite(kind);
  scopeSuite(kind);
});
describe.concurrent.each(lockKinds)('$what', (kind) => {
  withinSuite(kind);
  endedHoldSuite(kind);
  sharedLeaseSuite(kind);
});
