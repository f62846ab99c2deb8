import { UnexpectedReplyError } from '../../server-errors.js';
import type { ReleaseResult } from '../grant/release.js';

const RELEASE_RESULTS = new Map<number, ReleaseResult>([
  [1, { is: 'freed' }],
  [0, { is: 'kept' }],
  [-1, { is: 'taken' }],
  [-2, { is: 'deleted' }],
  [-5, { is: 'handed' }],
  [-6, { is: 'opened' }],
]);

/** Decodes the answer to a release. */
export function releaseResultOf(code: number): ReleaseResult {
  const result = RELEASE_RESULTS.get(code);
  if (result === undefined) {
    throw new UnexpectedReplyError(`a release was answered ${code}`);
  }
  return result;
}
