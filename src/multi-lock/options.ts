import { describe } from '../core/base/key-names.js';
import { checkOptions, type OptionSet } from '../core/base/options.js';

const OPTIONS: OptionSet = { of: 'getMultiLock', known: ['fenced'], elsewhere: {} };

/** Checks the options of `getMultiLock`, and returns whether its locks are fenced ones. */
export function checkFenced(options: unknown): boolean {
  const { fenced = false } = checkOptions('options', options, OPTIONS) as { fenced?: unknown };
  if (typeof fenced !== 'boolean') {
    throw new TypeError(`fenced must be a boolean, got ${describe(fenced)}`);
  }
  return fenced;
}
