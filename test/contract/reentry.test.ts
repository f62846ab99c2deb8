import { branchSuite } from './branches.js';
import { lockFaces } from './faces.js';
import { reentrySuite } from './reentry.js';
import { scopeSuite, sharedLeaseSuite } from './scopes.js';
import { withinSuite } from './within.js';

for (const face of lockFaces.filter(({ reentrant }) => reentrant)) {
  reentrySuite(face);
  branchSuite(face);
  withinSuite(face);
  scopeSuite(face);
  sharedLeaseSuite(face);
}
