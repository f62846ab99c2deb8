import { allLocks, lockFaces } from './faces.js';
import { forceSuite, inspectionSuite } from './inspection.js';

for (const face of allLocks) {
  inspectionSuite(face);
}
for (const face of lockFaces) {
  forceSuite(face);
}
