import { closingSuite, handOverSuite, leaseSuite } from './leases.js';
import { lossSuite } from './losses.js';
import { exclusiveLeased, leasedKinds } from '../support/kinds/kinds.js';

for (const kind of leasedKinds) {
  leaseSuite(kind);
  closingSuite(kind);
  lossSuite(kind);
}
for (const kind of exclusiveLeased) {
  handOverSuite(kind);
}
