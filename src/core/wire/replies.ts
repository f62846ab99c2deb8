import { UnexpectedReplyError } from '../../server-errors.js';

function unexpected(expected: string, reply: unknown): UnexpectedReplyError {
  return new UnexpectedReplyError(
    `expected ${expected} from the server, got ${JSON.stringify([reply])}`,
  );
}

/** An integer reply. */
export function integer(reply: unknown): number {
  if (typeof reply === 'number' && Number.isSafeInteger(reply)) {
    return reply;
  }
  if (typeof reply === 'string' && /^-?\d{1,15}$/.test(reply)) {
    return Number(reply);
  }
  throw unexpected('an integer', reply);
}

/** An integer reply, or null. */
export function integerOrNull(reply: unknown): number | null {
  return reply === null ? null : integer(reply);
}

/** A string reply. */
export function text(reply: unknown): string {
  if (typeof reply === 'string') {
    return reply;
  }
  throw unexpected('a string', reply);
}

/** So many numbers, as a tuple where it is known how many. */
type Numbers<N extends number, T extends number[] = []> = number extends N
  ? number[]
  : T['length'] extends N
    ? T
    : Numbers<N, [...T, number]>;

function isOfLength<N extends number>(
  values: number[],
  length: N,
): values is number[] & Numbers<N> {
  return values.length === length;
}

/** A text of exactly `length` integers, separated by single spaces. */
export function integers<N extends number>(reply: string, length: N): Numbers<N> {
  const values = reply.split(' ').map(integer);
  if (isOfLength(values, length)) {
    return values;
  }
  throw unexpected(`${length} integers`, reply);
}

/** The elements of a JSON array in a string reply. */
export function elements(reply: string): readonly unknown[] {
  try {
    return list(JSON.parse(reply));
  } catch {
    throw unexpected('a JSON array', reply);
  }
}

/** Any thrown value, as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

/** The array itself; an empty one for any other value. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
