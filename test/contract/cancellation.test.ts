import { cancellationSuite, givingUpSuite } from './cancellation.js';
import { allFaces, exclusiveFaces } from './faces.js';

for (const face of exclusiveFaces) {
  cancellationSuite(face);
}
for (const face of allFaces) {
  givingUpSuite(face);
}
