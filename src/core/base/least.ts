/** The least of some numbers; Infinity of none. */
export function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}
