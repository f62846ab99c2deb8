import { AccessDeniedError, UnsupportedServerError } from '../../server-errors.js';
import { withAdvice } from '../observe/warnings.js';
import { answerOf, isNoRight, lackShown } from './error-answers.js';

/** One node was given where most names are on others, or where others do not hear its messages. */
export const NODE_OF_CLUSTER: { readonly found: string; readonly needed: string } = {
  found: 'a node of a cluster',
  needed: 'a Cluster',
};

/** The client was never let in, so no call of it was carried out. When only some right is missing, or a
 * command, another copy of the call may have been before. */
export function hasNeverRun(error: Error): boolean {
  if (error instanceof UnsupportedServerError) {
    return error.cause === undefined;
  }
  const { cause } = error;
  const text = cause instanceof Error ? cause.message : '';
  const lacksRight =
    text.includes('NOPERM ') || (cause instanceof Error && answerOf(cause) === 'no right inside');
  return error instanceof AccessDeniedError && !lacksRight;
}

/** The errors of calls that no retry can help. */
type Denial = AccessDeniedError | UnsupportedServerError;

/** The error of all calls, when this is why a connection could not be made, or why a call was refused;
 * undefined where another try may help. */
export function denialOf(error: Error | undefined): Denial | undefined {
  if (error === undefined || error instanceof UnsupportedServerError) {
    return error;
  }
  return isNoRight(error) ? accessDenied('', error) : lackOfServer(error);
}

/** The error of a call to which the server has given this answer, when it lacks what the call needs. */
function lackOfServer(cause: Error): UnsupportedServerError | undefined {
  const lack = lackShown(cause);
  return lack && unsupportedServer('', { ...lack, cause });
}

/** The error of a call to a server that cannot carry it out. Without a `cause` nothing was sent to it. */
export function unsupportedServer(
  resource: string,
  { found, needed, cause }: Pick<UnsupportedServerError, 'found' | 'needed' | 'cause'>,
): UnsupportedServerError {
  const about = resource === '' ? '' : ` for "${resource}"`;
  const message = `this server cannot be used${about}: found ${found}, needed ${needed}`;
  return new UnsupportedServerError(message, found, needed, { resource, cause });
}

/** The error of a call that the server refuses, and no retry can help. */
export function accessDenied(resource: string, cause: Error): AccessDeniedError {
  const about = resource === '' ? '' : ` for "${resource}"`;
  const message = `Redis refuses this client${about}: ${withAdvice(cause)}`;
  return new AccessDeniedError(message, { resource, cause });
}
