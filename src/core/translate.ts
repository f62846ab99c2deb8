import { WrongTypeError } from '../errors.js';
import { isReplyError } from './redis.js';

/** An error of the driver as the caller gets it. */
export function translate(error: Error, resource: string): Error {
  if (isReplyError(error) && error.message.includes('WRONGTYPE')) {
    const message = `"${resource}" is in use by another kind of object`;
    return new WrongTypeError(message, { resource, cause: error });
  }
  return error;
}
