// The commands by which the hold of a lock goes to another client.

import { MEMORY_MS } from '../delivery/clean-up.js';
import { adoptedOf, type Adopted, type Detachable } from '../grant/detachable.js';
import { renewalAnswers, type RenewalAnswer } from '../lease/renewal.js';
import { commandOf, type CommandScript } from '../wire/call.js';
import { lockAdopt, lockDetach, lockPutBack } from '../wire/scripts.generated.js';

const detach: CommandScript<readonly RenewalAnswer[]> = {
  ...lockDetach,
  decode: (reply) => renewalAnswers([lockDetach.decode(reply)]),
};

const adopt: CommandScript<Adopted | undefined> = {
  ...lockAdopt,
  decode: (reply) => adoptedOf(lockAdopt.decode(reply)),
};

/** The keys of a lock that have to do with that. */
interface Keys {
  readonly lock: string;
  /** The prefix of the key of each tombstone. */
  readonly tombstones: string;
  /** What exists while others wait. */
  readonly waiting: readonly string[];
}

/** `suffix`: what follows the holder id in the hash of the lock. */
export function detachableLock({ lock, tombstones, waiting }: Keys, suffix = ''): Detachable {
  const fieldOf = (holderId: string): string => holderId + suffix;
  const tombstoneOf = (holderId: string): string => tombstones + fieldOf(holderId);
  return {
    detach({ holderId, leaseMs }) {
      const keys = { lock, tombstone: tombstoneOf(holderId) };
      const args = { holder: fieldOf(holderId), leaseMs, tombstoneMs: MEMORY_MS };
      return { script: detach, operands: lockDetach.operands(keys, args) };
    },
    adopt(from, to, leaseMs) {
      const keys = { lock, burnt: tombstoneOf(from), tombstone: tombstoneOf(to), waiting };
      const args = { from: fieldOf(from), to: fieldOf(to), leaseMs, tombstoneMs: MEMORY_MS };
      return { script: adopt, operands: lockAdopt.operands(keys, args) };
    },
    putBack(from, to) {
      const keys = { lock, tombstone: tombstoneOf(to) };
      const args = { from: fieldOf(from), to: fieldOf(to), tombstoneMs: MEMORY_MS };
      return commandOf(lockPutBack, keys, args);
    },
  };
}
