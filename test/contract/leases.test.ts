import { describe } from 'vitest';
import { closingSuite, handOverSuite, leaseSuite } from './leases.js';
import { lossSuite } from './losses.js';
import { exclusiveLeased, leasedKinds } from '../support/kinds/kinds.js';

// The kinds side by side: most of the time passes until leases end.
describe.concurrent.each(leasedKinds)('$what', (kind) => {
  leaseSuite(kind);
  closingSuite(kind);
  lossSuite(kind);
});
describe.concurrent.each(exclusiveLeased)('$what', handOverSuite);
