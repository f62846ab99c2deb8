import {
  AcquireTimeoutError,
  ClosedError,
  CommandTimeoutError,
  OutcomeUnknownError,
} from '../errors.js';

/** The error of a part, as that of the whole. */
export function asWhole(resource: string, error: unknown): unknown {
  const options = { resource, cause: error };
  if (error instanceof AcquireTimeoutError && error.resource !== resource) {
    const { holders } = error;
    return new AcquireTimeoutError(`of "${resource}", ${error.message}`, { ...options, holders });
  }
  if (error instanceof ClosedError) {
    return new ClosedError(error.message, { resource });
  }
  return error instanceof CommandTimeoutError && error.resource !== resource
    ? new CommandTimeoutError(`of "${resource}": ${error.message}`, options)
    : error;
}

/** What became of several parts. */
function allOf(errors: readonly Error[]): AggregateError {
  return new AggregateError(errors, errors.map(({ message }) => message).join('; '));
}

/** The error of a release that has failed for some parts, of which none was lost. */
export function jointError(resource: string, errors: readonly Error[]): Error {
  const all = allOf(errors);
  const options = { resource, cause: all };
  const message = `of "${resource}", ${errors.length === 1 ? 'one part' : `${errors.length} parts`}`;
  const unknown = errors.find((error) => error instanceof OutcomeUnknownError);
  if (unknown !== undefined) {
    return new OutcomeUnknownError(`${message} may not be released: ${all.message}`, options);
  }
  const refused = errors.find((error) => error instanceof CommandTimeoutError);
  return refused === undefined
    ? (errors[0] ?? all)
    : new CommandTimeoutError(`${message} could not be released: ${all.message}`, options);
}

/** The error of a forced release that has failed for some of `count` names: the others were freed, or may be. */
export function forcedError(resource: string, errors: readonly Error[], count: number): Error {
  const [first] = errors;
  const isUntold = errors.some((error) => error instanceof OutcomeUnknownError);
  if (first === undefined || (errors.length === count && !isUntold)) {
    return first ?? allOf(errors);
  }
  const all = allOf(errors);
  const message = `it is unknown which names of "${resource}" were freed: ${all.message}`;
  return new OutcomeUnknownError(message, { resource, cause: all });
}
