/** Keys that one command names at most: the server is never busy with it for long. */
const KEYS_PER_COMMAND = 100;

/** Splits items into waves that one command each can carry: of one group, and not too many. */
export function wavesOf<T>(items: Iterable<T>, groupOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  const waves: T[][] = [];
  for (const item of items) {
    const group = groupOf(item);
    let wave = groups.get(group);
    if (wave === undefined || wave.length === KEYS_PER_COMMAND) {
      wave = [];
      groups.set(group, wave);
      waves.push(wave);
    }
    wave.push(item);
  }
  return waves;
}
