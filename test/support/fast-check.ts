// fast-check with the fixed seed of the tests (lint: it is imported here only).

import { configureGlobal } from 'fast-check';
import { seed } from './seed.js';

configureGlobal({ seed });

export * as fc from 'fast-check';
