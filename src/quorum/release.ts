import { failing } from '../core/base/failing.js';
import { LeaseLostError, OutcomeUnknownError } from '../errors.js';
import type { Members } from './members.js';
import type { Vote } from './vote.js';
import type { Released } from './vote-parts.js';

/** Releases a claim on all servers; resolves as soon as a majority had it and has released it, and rejects as soon as
 * that cannot be any more. */
export function releaseAll(
  members: Members,
  resource: string,
  votes: readonly Vote[],
): Promise<void> {
  const { clock } = members.first.services;
  const startedAt = clock.now();
  return new Promise((resolve) => {
    const missing: (Released | Error)[] = [];
    let released = 0;
    for (const vote of votes) {
      vote.release((outcome) => {
        if (outcome === 'released') {
          released += 1;
          if (released === members.majority) {
            resolve();
          }
          return;
        }
        missing.push(outcome);
        if (members.all.length - missing.length < members.majority) {
          resolve(failing(errorOf(members, resource, missing, clock.now() - startedAt)));
        }
      });
    }
  });
}

/** The error of a release that no majority has carried out. */
function errorOf(
  members: Members,
  resource: string,
  missing: readonly (Released | Error)[],
  waitedMs: number,
): Error {
  const reason = missing.find((outcome) => outcome === 'taken' || outcome === 'deleted');
  // Those that had nothing to release gave no vote.
  const without = missing.filter((outcome) => !(outcome instanceof Error)).length;
  if (reason !== undefined && members.all.length - without < members.majority) {
    const message = `the lease on "${resource}" was found lost at its release: ${reason}`;
    return new LeaseLostError(message, reason, { resource });
  }
  const errors = missing.filter((outcome) => outcome instanceof Error);
  const error = members.noMajority(resource, waitedMs, errors);
  return errors.some((each) => each instanceof OutcomeUnknownError)
    ? new OutcomeUnknownError(
        `it is unknown whether "${resource}" was released: ${error.message}`,
        { resource, cause: error.cause },
      )
    : error;
}

/** The loss that a failed release shows. */
export function lossOf(resource: string, error: unknown): LeaseLostError {
  const message = `the release of "${resource}" has no answer`;
  return error instanceof LeaseLostError
    ? error
    : new LeaseLostError(message, 'unproven', { resource, cause: error });
}
