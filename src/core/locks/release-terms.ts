import { MEMORY_MS } from '../delivery/clean-up.js';

/** What a release states of a holder. It may be stated twice. */
export interface ReleaseTerms {
  /** Holds that are left. */
  readonly count: number;
  /** For so many ms no late copy of the acquisition is granted; 0: none is on its way. */
  readonly tombstoneMs: number;
  /** The largest number of holds that the server may know of. */
  readonly upTo: number;
}

/** Why something is released. */
export type ReleaseReason = 'ended' | 'lost' | 'forced';

/** What is known of a holder. */
interface Known {
  /** Holds that are alive, re-entries on their way included. */
  readonly alive: number;
  /** A copy of its acquisition may still run. */
  readonly hasUnackedCopy: boolean;
  /** The largest number of holds that was stated since the last release. */
  readonly peak: number;
  /** The largest number that was ever stated. */
  readonly most: number;
}

/** With none left, a late copy may have set the number back to any that was stated before: so all
 * of them are taken off. */
const none = ({ most }: Known, hasTombstone: boolean): ReleaseTerms => ({
  count: 0,
  tombstoneMs: hasTombstone ? MEMORY_MS : 0,
  upTo: most,
});

/** What a release states, by its reason. */
const TERMS: Record<ReleaseReason, (holder: Known) => ReleaseTerms> = {
  /** A hold has ended: the others keep the lease, and with the last one it ends. */
  ended: (holder) =>
    holder.alive > 0
      ? { count: holder.alive, tombstoneMs: 0, upTo: holder.peak }
      : none(holder, holder.hasUnackedCopy),
  /** The lease was lost here, and the server may still keep it, or get a copy that grants it. */
  lost: (holder) => none(holder, true),
  /** It was freed by force, and may have been granted behind that: to a call that was answered. */
  forced: (holder) => none(holder, false),
};

export function releaseTerms(reason: ReleaseReason, holder: Known): ReleaseTerms {
  return TERMS[reason](holder);
}
