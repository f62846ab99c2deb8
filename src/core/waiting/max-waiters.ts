import { TooManyWaitersError } from '../../waiters-error.js';

/** How many may wait for one object in this client; undefined: no limit. */
export type MaxWaiters = number | undefined;

/** The error of an acquisition that would be one waiter too many; undefined where there is room. */
export function oneTooMany(
  resource: string,
  waiters: number,
  maxWaiters: MaxWaiters,
  name: string = resource,
): TooManyWaitersError | undefined {
  if (maxWaiters === undefined || waiters < maxWaiters) {
    return undefined;
  }
  const message =
    `${waiters} acquisitions of this client wait for "${name}", and maxWaiters is ${maxWaiters}: ` +
    'try again later';
  return new TooManyWaitersError(message, waiters, { resource });
}
