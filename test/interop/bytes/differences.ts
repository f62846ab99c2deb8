// Everything that we leave or tell otherwise than Redisson, on purpose: the one list of it.

import { countDifferences } from './count-differences.js';
import type { Difference } from './difference.js';
import { forcedDifferences } from './forced-differences.js';
import { leaseDifferences } from './lease-differences.js';
import { lineDifferences } from './line-differences.js';
import { lockDifferences } from './lock-differences.js';

export const differences: readonly Difference[] = [
  ...lockDifferences,
  ...lineDifferences,
  ...forcedDifferences,
  ...countDifferences,
  ...leaseDifferences,
];
