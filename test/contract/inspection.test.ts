import { lockFaces } from './faces.js';
import { inspectionSuite } from './inspection.js';

for (const face of lockFaces) {
  inspectionSuite(face);
}
