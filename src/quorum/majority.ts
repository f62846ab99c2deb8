import { whenSettled } from '../core/base/async-context.js';
import { asError } from '../core/wire/replies.js';

/** Resolves as soon as `needed` have succeeded, or with the errors of all as soon as that cannot be any more. */
export function majorityOf(
  calls: readonly Promise<unknown>[],
  needed: number,
): Promise<{ readonly errors: readonly Error[] | undefined }> {
  return new Promise((resolve) => {
    const errors: Error[] = [];
    let succeeded = 0;
    if (calls.length < needed) {
      resolve({ errors });
    }
    for (const call of calls) {
      whenSettled(
        call,
        () => {
          succeeded += 1;
          if (succeeded === needed) {
            resolve({ errors: undefined });
          }
        },
        (error) => {
          errors.push(asError(error));
          if (calls.length - errors.length < needed) {
            resolve({ errors });
          }
        },
      );
    }
  });
}

/** The server that has the fewest milliseconds among the best of a majority decides. */
export function nthLargest(numbers: readonly number[], n: number): number {
  return numbers.toSorted((a, b) => b - a)[n - 1] ?? 0;
}
