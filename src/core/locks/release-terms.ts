import { MEMORY_MS } from '../delivery/clean-up.js';

/** The outcome that a release states for a holder. Stating it twice changes nothing. */
export interface ReleaseTerms {
  /** The number of holds that are left. */
  readonly count: number;
  /** Life of the tombstone, which keeps late copies of the acquisition out; 0: none is needed. */
  readonly tombstoneMs: number;
  /** The largest number of holds that the server may know of. */
  readonly upTo: number;
  /** Waiters of this client whose entries leave a queue with it. */
  readonly others?: readonly string[] | undefined;
}

export const NOBODY: readonly string[] = [];

export type ReleaseReason = 'ended' | 'lost' | 'forced';

/** The knowledge of this client about a holder. */
interface Known {
  /** The number of holds that are alive, re-entries under way included. */
  readonly alive: number;
  /** A copy of its acquisition may still run. */
  readonly hasUnackedCopy: boolean;
  /** The largest number of holds that was stated since the last release. */
  readonly peak: number;
  /** The largest number that was ever stated. */
  readonly most: number;
}

/** No hold is left. A late copy may have raised the number to any that was stated before, so all of
 * these are removed. */
const none = ({ most }: Known, hasTombstone: boolean): ReleaseTerms => ({
  count: 0,
  tombstoneMs: hasTombstone ? MEMORY_MS : 0,
  upTo: most,
});

const TERMS: Record<ReleaseReason, (holder: Known) => ReleaseTerms> = {
  /** A hold has ended: the others keep the lease, which ends with the last one. */
  ended: (holder) =>
    holder.alive > 0
      ? { count: holder.alive, tombstoneMs: 0, upTo: holder.peak }
      : none(holder, holder.hasUnackedCopy),
  /** The lease was lost here; the server may still keep it, or run a late copy that grants it. */
  lost: (holder) => none(holder, true),
  /** The lock was freed by force; the acquisition, which was answered, may have run after that. */
  forced: (holder) => none(holder, false),
};

export function releaseTerms(reason: ReleaseReason, holder: Known): ReleaseTerms {
  return TERMS[reason](holder);
}

/** For a holder that was asked for, and has no hold here. */
export function givenUp(hasUnackedCopy: boolean, most = 1): ReleaseTerms {
  return releaseTerms('ended', { alive: 0, hasUnackedCopy, peak: 1, most });
}
