import { lockAdopt, lockDetach, lockPutBack } from '../../../../src/core/wire/scripts.generated.js';
import { type Cast, operation, type Operation } from './cast.js';

/** A hold is detached, adopted or put back; `suffix` stands behind each holder id in the hash of the lock. */
export function handOver(cast: Cast, waiting: readonly string[], suffix = ''): Operation {
  const { key: lock } = cast;
  const [from, to] = [cast.holder() + suffix, cast.holder() + suffix];
  const [burnt, tombstone] = [from, to].map((field) => cast.tombstone(field)) as [string, string];
  const [leaseMs, tombstoneMs] = [cast.leaseMs(), 120_017];
  return cast.choose([
    [
      1,
      () =>
        operation(lockDetach, { lock, tombstone: burnt }, { holder: from, leaseMs, tombstoneMs }),
    ],
    [
      3,
      () => {
        const keys = { lock, burnt, tombstone, waiting };
        return operation(lockAdopt, keys, { from, to, leaseMs, tombstoneMs });
      },
    ],
    [1, () => operation(lockPutBack, { lock, tombstone }, { from, to, tombstoneMs })],
  ]);
}
