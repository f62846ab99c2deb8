// Values that are no valid integer argument, and what an error about one has to say.

import { expect } from 'vitest';

export const INT32_MAX = 2_147_483_647;

/** Values of the wrong type where an integer is wanted; undefined stands for "not given". */
const WRONG_TYPE: readonly unknown[] = [null, '5', '', true, 5n, {}, [], [5], () => 5, NaN, 1.5];

export interface BadInteger {
  readonly value: unknown;
  readonly error: typeof TypeError | typeof RangeError;
}

/** Everything that is no integer from `min` to `max`. */
export function badIntegers(min: number, max: number): BadInteger[] {
  const wrong = WRONG_TYPE.map((value) => ({ value, error: TypeError }));
  const outside = [min - 1, max + 1, Infinity, -Infinity, Number.MAX_SAFE_INTEGER];
  return [...wrong, ...outside.map((value) => ({ value, error: RangeError }))];
}

/** A value as an error message may show it. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value);
  }
  return typeof value === 'bigint' || typeof value === 'number' || value === null
    ? String(value)
    : typeof value;
}

/** The error names the argument, the range and the value. */
export function expectInteger(
  error: unknown,
  argument: string,
  [min, max]: readonly [number, number],
  bad: BadInteger,
): void {
  expect(error).toBeInstanceOf(bad.error);
  const { message } = error as Error;
  expect(message).toContain(`${argument} must be an integer from ${min} to ${max}`);
  expect(message).toContain(shown(bad.value));
}

/** The error of a call that throws at once. */
export function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('expected a throw, and there was none');
}
