import type { JointLock, Part } from './ask.js';
import { releaseAll, takeBack } from './releases.js';

/** Gives back all that an acquisition has of its locks: holds, tickets, and the use of their names. */
export async function giveBack(
  { locks, resource }: JointLock,
  parts: readonly Part[],
): Promise<void> {
  const { services, handOffs } = locks;
  const holds = parts.flatMap((part) => {
    const { hold } = part;
    part.hold = undefined;
    return hold === undefined || hold.lease.error !== undefined ? [] : [hold];
  });
  const releasing = releaseAll(services, resource, holds);
  for (const part of parts) {
    const { entered, grants } = part;
    if (entered !== undefined) {
      // Nobody will wait with that ticket.
      const { holderId, call } = entered;
      part.entered = undefined;
      const hasUnackedCopy = call.unackedCopies > 0;
      takeBack(services, { grants: [grants], holderId, hasUnackedCopy, ask: undefined });
      handOffs.replay(holderId);
    }
    if (part.isEntered) {
      part.isEntered = false;
      services.names.leave(grants.protocol);
    }
  }
  // Nobody waits for it: a release that fails goes on, and the lease ends.
  await releasing;
}
