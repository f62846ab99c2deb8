import { UnexpectedReplyError } from '../../errors.js';

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

/** A text of exactly `length` integers, separated by single spaces. */
export function integers(reply: string, length: number): number[] {
  const values = reply.split(' ').map(integer);
  if (values.length !== length) {
    throw unexpected(`${length} integers`, reply);
  }
  return values;
}

/** Any thrown value, as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

/** The array itself; an empty one for any other value. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
