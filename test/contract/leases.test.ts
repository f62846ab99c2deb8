import { leasedFaces } from './faces.js';
import { leaseSuite, lossSuite } from './leases.js';

for (const face of leasedFaces) {
  leaseSuite(face);
  lossSuite(face);
}
