import { describe } from 'vitest';
import { boundReentrySuite, boundSuite } from './bounds.js';
import { leasedKinds, lockKinds } from '../support/kinds/kinds.js';

// The kinds side by side: most of the time passes until bounds come.
describe.concurrent.each(leasedKinds)('$what', boundSuite);
describe.concurrent.each(lockKinds)('$what', boundReentrySuite);
