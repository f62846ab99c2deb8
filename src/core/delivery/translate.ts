import { ClosedError, CommandTimeoutError, OutcomeUnknownError } from '../../errors.js';
import {
  AccessDeniedError,
  UnexpectedReplyError,
  UnsupportedServerError,
  WrongTypeError,
} from '../../server-errors.js';
import { isNoWrites } from '../connection/error-answers.js';
import { accessDenied, unsupportedServer } from '../connection/server-errors.js';
import { ForeignKeyError } from '../wire/foreign-key.js';

/** Turns the error of a call, which several calls may share, into the error that one caller gets. */
export function translate(error: Error, resource: string): Error {
  if (error instanceof ForeignKeyError) {
    return wrongType(error, resource);
  }
  if (error instanceof UnsupportedServerError) {
    return unsupportedServer(resource, error);
  }
  if (isNoWrites(error)) {
    const message = `Redis refused the call on "${resource}": ${error.message}`;
    return new CommandTimeoutError(message, { resource, cause: error });
  }
  if (error instanceof ClosedError) {
    return new ClosedError(error.message, { resource });
  }
  if (error instanceof UnexpectedReplyError) {
    return new UnexpectedReplyError(error.message, { resource, cause: error.cause });
  }
  // The connection does not know which object its calls are about.
  return error instanceof AccessDeniedError && error.cause instanceof Error
    ? accessDenied(resource, error.cause)
    : error;
}

function wrongType(error: ForeignKeyError, resource: string): WrongTypeError {
  const { key, main, found, twin } = error;
  const advice =
    main === resource ? '. A keyPrefix of the client keeps its names apart from other data' : '';
  const message =
    twin === undefined
      ? `"${resource}" is in use by another kind of object: ` +
        `the key "${key}" holds ${found ?? 'something else'}${advice}`
      : `"${resource}" would share the key "${key}" with "${twin}", which is in use`;
  return new WrongTypeError(message, key, { resource, cause: error.cause });
}

/** The error of a call that may have been carried out, or not. */
export function outcomeUnknown(resource: string, cause: Error): OutcomeUnknownError {
  const message = `it is unknown whether the call on "${resource}" was carried out`;
  return new OutcomeUnknownError(`${message}: ${cause.message}`, { resource, cause });
}

/** How the time of a call has passed. */
interface TimeUp {
  /** It was sent. */
  readonly sent: boolean;
  readonly waitedMs: number;
  /** The last answer of the server, which has refused it. */
  readonly refusal: Error | undefined;
  /** Why there is no connection now. */
  readonly whyDown: Error | undefined;
}

/** The error of a call whose time is up. */
export function timedOut(
  resource: string,
  { sent, waitedMs, refusal, whyDown }: TimeUp,
): CommandTimeoutError {
  const isUnsent =
    whyDown === undefined ? 'not sent to Redis behind earlier calls' : 'no connection to Redis';
  const isMissing = sent ? 'no answer from Redis' : isUnsent;
  const what = refusal === undefined ? isMissing : `Redis refused (${refusal.message})`;
  const message = `${what} within ${Math.round(waitedMs)} ms for "${resource}"`;
  return new CommandTimeoutError(message, { resource, cause: refusal ?? whyDown });
}
