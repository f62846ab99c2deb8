import { branchSuite } from './branches.js';
import { reentrySuite } from './reentry.js';
import { endedHoldSuite, scopeSuite, sharedLeaseSuite } from './scopes.js';
import { deadlockSuite, withinSuite } from './within.js';
import { exclusiveLocks, lockKinds } from '../support/kinds/kinds.js';

for (const kind of exclusiveLocks) {
  reentrySuite(kind);
  branchSuite(kind);
  deadlockSuite(kind);
  scopeSuite(kind);
}
for (const kind of lockKinds) {
  withinSuite(kind);
  endedHoldSuite(kind);
  sharedLeaseSuite(kind);
}
