import { describe } from 'vitest';
import { cancellationSuite, givingUpSuite } from './cancellation.js';
import { allKinds, exclusiveKinds } from '../support/kinds/kinds.js';

// The kinds side by side: most of the time passes until waits end.
describe.concurrent.each(exclusiveKinds)('$what', cancellationSuite);
describe.concurrent.each(allKinds)('$what', givingUpSuite);
