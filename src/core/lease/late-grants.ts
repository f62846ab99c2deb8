import { CommandTimeoutError } from '../../errors.js';

/** After so many grants in a row that came too late a wait ends: the next ones would be too late as well. */
const LATE_MAX = 5;
/** The same, of those that came too late by more than the lease. */
const VERY_LATE_MAX = 2;

/** A grant that came when its lease was over. */
export interface LateGrant {
  readonly resource: string;
  readonly leaseMs: number;
  /** From the sending of its ask to its answer. */
  readonly roundTripMs: number;
}

/** The grants of one wait that came too late to be of use. */
export class LateGrants {
  #late = 0;
  #veryLate = 0;

  /** Counts one; returns the error of the wait when these were too many. */
  add({ resource, leaseMs, roundTripMs }: LateGrant): CommandTimeoutError | undefined {
    this.#late += 1;
    this.#veryLate = roundTripMs > 2 * leaseMs ? this.#veryLate + 1 : 0;
    if (this.#late < LATE_MAX && this.#veryLate < VERY_LATE_MAX) {
      return undefined;
    }
    const message =
      `each grant of "${resource}" came when its lease was over: leaseMs ${leaseMs} is shorter than ` +
      `the way to Redis and back, roundTripMs ${Math.round(roundTripMs)}`;
    return new CommandTimeoutError(message, { resource });
  }
}
