// Whether two texts say the same but for times, which the two servers read at moments of their own.

/** By so much times may differ. */
export interface Slack {
  readonly ms: number;
}

const NUMBER = /-?\d+(?:\.\d+)?/g;

/** A mark of a latch: seconds and microseconds with a point between, without zeros before them. */
const MARK = /^(1\d{9})\.(\d{1,6})$/;

function microsOf([, seconds, micros]: RegExpExecArray): number {
  return Number(seconds) * 1e6 + Number(micros);
}

function areNear(one: string, other: string, { ms }: Slack): boolean {
  if (one === other) {
    return true;
  }
  const [mark, otherMark] = [MARK.exec(one), MARK.exec(other)];
  if (mark !== null && otherMark !== null) {
    return Math.abs(microsOf(mark) - microsOf(otherMark)) <= ms * 1_000;
  }
  const [a, b] = [Number(one), Number(other)];
  const size = Math.abs(a);
  // The end of a lease that never expires is in the year 30000, and so is that of its semaphore.
  const isInstant = size > 1e12 && size < 1e15;
  if (isInstant && a % 1 === b % 1) {
    // Behind the point of an end stands the length of its lease.
    return Math.abs(a - b) <= ms;
  }
  if (!Number.isInteger(a) || !Number.isInteger(b) || size < 300 || size > 1e16) {
    // Counts and depths are small. Tokens of Java are large.
    return false;
  }
  if (size > 1e15) {
    return Math.abs(a - b) <= ms * 1_000;
  }
  return size < 1e8 && Math.abs(a - b) <= ms;
}

export function textsAreNear(one: string, other: string, slack: Slack): boolean {
  if (one === other) {
    return true;
  }
  if (one.replaceAll(NUMBER, '#') !== other.replaceAll(NUMBER, '#')) {
    return false;
  }
  const others = other.match(NUMBER) ?? [];
  return (one.match(NUMBER) ?? []).every((number, i) => areNear(number, others[i] ?? '', slack));
}
