import { forceSuite, inspectionSuite } from './inspection.js';
import { exclusiveLocks, lockKinds } from '../support/kinds/kinds.js';

for (const kind of lockKinds) {
  inspectionSuite(kind);
}
for (const kind of exclusiveLocks) {
  forceSuite(kind);
}
