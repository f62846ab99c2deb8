import { UnexpectedReplyError } from '../server-errors.js';
import { describe } from '../core/base/key-names.js';
import { GrantFace } from '../core/grant/grant-face.js';
import type { FencedHold } from '../core/locks/hold.js';
import { MultiHoldFace } from '../multi-lock/multi-hold.js';
import { QuorumHold } from './hold.js';

/** Makes of a hold what the caller gets; throws if it is none of that kind. `origin`: where the call was made. */
export type AsGranted<G> = (hold: QuorumHold, origin: string | undefined) => G;

/** For locks whose holds have nothing special. */
export const anyHold: AsGranted<MultiHoldFace> = (hold, origin) => new MultiHoldFace(hold, origin);

/** The servers answer each grant of a fenced lock with a token. */
export const asFenced: AsGranted<MultiHoldFace & FencedHold> = (hold, origin) => {
  const face = new MultiHoldFace(hold, origin);
  if (!isFenced(face)) {
    const { lockName: resource } = hold;
    throw new UnexpectedReplyError(`"${resource}" was granted without a fencing token`, {
      resource,
    });
  }
  return face;
};

function isFenced(hold: MultiHoldFace): hold is MultiHoldFace & FencedHold {
  return hold.fencingToken !== undefined;
}

/** The hold of a quorum that a caller has named; throws for anything else. */
export function quorumHoldOf(given: unknown): QuorumHold {
  const hold: unknown = GrantFace.shownBy(given);
  if (hold instanceof QuorumHold) {
    return hold;
  }
  throw new TypeError(`within must be a hold of this lock or null, got ${describe(given)}`);
}
