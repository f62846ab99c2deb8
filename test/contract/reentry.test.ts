import { branchSuite } from './branches.js';
import { allLocks, lockFaces } from './faces.js';
import { reentrySuite } from './reentry.js';
import { endedHoldSuite, scopeSuite, sharedLeaseSuite } from './scopes.js';
import { deadlockSuite, withinSuite } from './within.js';

for (const face of lockFaces) {
  reentrySuite(face);
  branchSuite(face);
  deadlockSuite(face);
  scopeSuite(face);
}
for (const face of allLocks) {
  withinSuite(face);
  endedHoldSuite(face);
  sharedLeaseSuite(face);
}
