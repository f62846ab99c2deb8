import { cancellationSuite } from './cancellation.js';
import { exclusiveFaces } from './faces.js';

for (const face of exclusiveFaces) {
  cancellationSuite(face);
}
