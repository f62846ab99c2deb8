/** The largest number and total weight of the items of one command, so that the server is never
 * busy with it for long. A single item may weigh more. */
const ITEMS_PER_COMMAND = 100;
const WEIGHT_PER_COMMAND = 1_000;

interface Batch<T> {
  readonly items: T[];
  weight: number;
}

/** Splits items into batches, each of one group and small enough for one command. */
export function batchesOf<T>(
  items: Iterable<T>,
  groupOf: (item: T) => string,
  weightOf: (item: T) => number = () => 1,
): T[][] {
  const groups = new Map<string, Batch<T>>();
  const batches: T[][] = [];
  for (const item of items) {
    const group = groupOf(item);
    const weight = weightOf(item);
    let batch = groups.get(group);
    if (
      batch === undefined ||
      batch.items.length === ITEMS_PER_COMMAND ||
      batch.weight + weight > WEIGHT_PER_COMMAND
    ) {
      batch = { items: [], weight: 0 };
      groups.set(group, batch);
      batches.push(batch.items);
    }
    batch.items.push(item);
    batch.weight += weight;
  }
  return batches;
}
