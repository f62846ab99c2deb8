import type { ConnectionOwner } from './connection-owner.js';
import type { Redis } from './driver.js';
import type { Environment } from './environment.js';

/** The environments of clients that have told of an unknown driver. */
const told = new WeakSet<Environment>();

const UNKNOWN_DRIVER =
  'this version of ioredis is not one that redlatch was tested with, so its commands go through it, ' +
  'which costs more CPU';

/** Reports, once a client, that the version of the driver was not tested. */
export function reportUnknownDriver(
  redis: Redis,
  environment: Environment,
  owner: Pick<ConnectionOwner, 'fault'>,
): void {
  if (!redis.isKnownDriver && !told.has(environment)) {
    told.add(environment);
    owner.fault(new Error(UNKNOWN_DRIVER));
  }
}
