import { AccessDeniedError, OutcomeUnknownError, WrongTypeError } from '../../errors.js';
import { isReplyError } from '../connection/driver.js';
import { accessDenied } from '../connection/server-errors.js';

/** The error of a script for a name that would share a key with another name. */
const SHARED = /WRONGTYPE the name shares (?<key>.+) with (?<twin>.+)/s;

/** Turns an error of the driver into the error that the caller gets. */
export function translate(error: Error, resource: string): Error {
  if (isReplyError(error) && error.message.includes('WRONGTYPE')) {
    const { key, twin } = SHARED.exec(error.message)?.groups ?? {};
    const message =
      twin === undefined
        ? `"${resource}" is in use by another kind of object`
        : `"${resource}" would share the key "${key}" with "${twin}", which is in use`;
    return new WrongTypeError(message, { resource, cause: error });
  }
  // The connection does not know which object its calls are about.
  return error instanceof AccessDeniedError && error.cause instanceof Error
    ? accessDenied(resource, error.cause)
    : error;
}

/** The error of a call that may have been carried out, or not. */
export function outcomeUnknown(resource: string, cause: Error): OutcomeUnknownError {
  const message = `it is unknown whether the call on "${resource}" was carried out`;
  return new OutcomeUnknownError(`${message}: ${cause.message}`, { resource, cause });
}
