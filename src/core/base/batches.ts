/** Items that one command carries at most, and what they weigh together unless it is one alone: the
 * server is never busy with it for long. */
const ITEMS_PER_COMMAND = 100;
const WEIGHT_PER_COMMAND = 1_000;

interface Wave<T> {
  readonly items: T[];
  weight: number;
}

/** Splits items into waves that one command each can carry: of one group, and not too many. */
export function batchesOf<T>(
  items: Iterable<T>,
  groupOf: (item: T) => string,
  weightOf: (item: T) => number = () => 1,
): T[][] {
  const groups = new Map<string, Wave<T>>();
  const waves: T[][] = [];
  for (const item of items) {
    const group = groupOf(item);
    const weight = weightOf(item);
    let wave = groups.get(group);
    if (
      wave === undefined ||
      wave.items.length === ITEMS_PER_COMMAND ||
      wave.weight + weight > WEIGHT_PER_COMMAND
    ) {
      wave = { items: [], weight: 0 };
      groups.set(group, wave);
      waves.push(wave.items);
    }
    wave.items.push(item);
    wave.weight += weight;
  }
  return waves;
}
