import { cancellationSuite, givingUpSuite } from './cancellation.js';
import { allKinds, exclusiveKinds } from '../support/kinds/kinds.js';

for (const kind of exclusiveKinds) {
  cancellationSuite(kind);
}
for (const kind of allKinds) {
  givingUpSuite(kind);
}
