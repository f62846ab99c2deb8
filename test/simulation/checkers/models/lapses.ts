// Holds that the server may have ended by itself: for each, from when on.
//
// A model looks at them where a hold is in the way. So a search need not try when it ended: it ends
// just before it must have.

/** By owner; of read-write locks by mode and owner. */
export type Lapses = ReadonlyMap<string, number>;

export const NO_LAPSES: Lapses = new Map();

/** What has to be over when a hold has ended by itself; undefined when it cannot have by then. */
export function lapsed(
  lapses: Lapses,
  holder: string,
  since: number,
  until: number,
): number | undefined {
  const from = lapses.get(holder);
  return from === undefined || from > until ? undefined : Math.max(since, from);
}
