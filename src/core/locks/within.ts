import { NotHeldError } from '../../errors.js';
import { describe } from '../base/key-names.js';
import { notDetachable } from '../grant/detachable.js';
import { GrantFace } from '../grant/grant-face.js';
import { LockHold } from './hold.js';
import type { LockProtocol } from './lock-protocol.js';
import { WholeHold } from './whole-hold.js';

/** A hold of several locks. */
export abstract class PartedHold extends WholeHold {
  detach(): Promise<string> {
    return Promise.reject(notDetachable(this.lockName, 'it is the hold of a multi-lock'));
  }

  /** Its hold of one of them. */
  abstract partOf(lockId: string): LockHold | undefined;
}

/** What an acquisition re-enters through: this hold; none (null), it is a new holder wherever it runs;
 * or that of the scope that it runs in. */
export type Within = LockHold | null | undefined;

/** Checks the `within` of an acquisition. */
export function checkWithin(
  options: object,
  { lockId, sibling, kind, resource }: LockProtocol,
): Within {
  const given = withinOf(options);
  if (given === undefined || given === null) {
    return given;
  }
  const within = given instanceof PartedHold ? (given.partOf(lockId) ?? given) : given;
  if (within instanceof PartedHold || ![lockId, sibling?.lockId].includes(within.lockId)) {
    throw notOf(`the ${kind} "${resource}"`, resource, given);
  }
  within.assertNotOver();
  return within;
}

/** Returns the `within` of an acquisition as it was given: any hold. */
export function withinOf(options: object): LockHold | PartedHold | null | undefined {
  const { within } = options as { within?: unknown };
  if (within === undefined || within === null) {
    return within;
  }
  const hold: unknown = GrantFace.shownBy(within);
  if (hold instanceof LockHold || hold instanceof PartedHold) {
    return hold;
  }
  throw new TypeError(`within must be a hold of this lock or null, got ${describe(within)}`);
}

/** The error for a hold of other locks than `what`. */
export function notOf(what: string, resource: string, given: LockHold | PartedHold): NotHeldError {
  const kind = given instanceof PartedHold ? 'multi-lock' : given.lease.identity.kind;
  return new NotHeldError(
    `within must be a hold that this client has on ${what}, got one of the ${kind} "${given.lockName}"`,
    { resource },
  );
}
