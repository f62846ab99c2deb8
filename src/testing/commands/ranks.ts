/** The positions that two ends mean, as in `0 -1`: from one up to, and without, the other. */
export function ranks(length: number, start: number, stop: number): { from: number; to: number } {
  const from = Math.max(start < 0 ? start + length : start, 0);
  const to = Math.min((stop < 0 ? stop + length : stop) + 1, length);
  return { from, to: Math.max(from, to) };
}
