import type { PendingCall } from '../wire/call.js';
import { UnexpectedReplyError } from '../../server-errors.js';

/** The answer to a counted call, and the instant before it was first sent. */
export interface CountReply {
  readonly count: number;
  readonly call: PendingCall;
  readonly sentAt: number;
}

/** The number in the answer to a counted call; undefined when the call did not run. */
export function lateCountOf(answer: unknown): number | undefined {
  return typeof answer === 'string' && /^-?\d+$/.test(answer) ? Number(answer) : undefined;
}

/** The number in the answer to a counted call that must have run. */
export function countOf(answer: string): number {
  const count = lateCountOf(answer);
  if (count === undefined) {
    throw new UnexpectedReplyError(`the server refused a request as ${JSON.stringify(answer)}`);
  }
  return count;
}
