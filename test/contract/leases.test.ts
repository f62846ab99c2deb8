import { allLeased, leasedFaces } from './faces.js';
import { closingSuite, handOverSuite, leaseSuite } from './leases.js';
import { lossSuite } from './losses.js';

for (const face of allLeased) {
  leaseSuite(face);
  closingSuite(face);
  lossSuite(face);
}
for (const face of leasedFaces) {
  handOverSuite(face);
}
