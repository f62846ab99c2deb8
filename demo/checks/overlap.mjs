// @ts-check
// How many are inside at a moment, for many moments at once.

/** @param {bigint[]} instants */
const inOrder = (instants) => instants.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));

/**
 * For each moment, how many spans have begun by then and have not ended.
 * @param {bigint[]} moments in their order
 * @param {{ from: bigint, to: bigint | undefined }[]} spans without `to` one has no end
 * @returns {number[]}
 */
export function insideAt(moments, spans) {
  const starts = inOrder(spans.map(({ from }) => from));
  const ends = inOrder(spans.flatMap(({ to }) => to ?? []));
  let [begun, ended] = [0, 0];
  return moments.map((moment) => {
    while (begun < starts.length && (starts[begun] ?? moment) <= moment) {
      begun += 1;
    }
    while (ended < ends.length && (ends[ended] ?? moment) <= moment) {
      ended += 1;
    }
    return begun - ended;
  });
}
