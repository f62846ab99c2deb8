import { WrongTypeError } from '../../errors.js';
import { isReplyError } from '../connection/driver.js';

/** What scripts say of a name that would share a key with another one. */
const SHARED = /WRONGTYPE the name shares (?<key>.+) with (?<twin>.+)/s;

/** An error of the driver as the caller gets it. */
export function translate(error: Error, resource: string): Error {
  if (isReplyError(error) && error.message.includes('WRONGTYPE')) {
    const { key, twin } = SHARED.exec(error.message)?.groups ?? {};
    const message =
      twin === undefined
        ? `"${resource}" is in use by another kind of object`
        : `"${resource}" would share the key "${key}" with "${twin}", which is in use`;
    return new WrongTypeError(message, { resource, cause: error });
  }
  return error;
}
