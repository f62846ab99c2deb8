import type { PendingCall } from '../wire/call.js';
import { UnexpectedReplyError } from '../../errors.js';

/** What a call that counts was answered, and the instant before it was first sent. */
export interface CountReply {
  readonly count: number;
  readonly call: PendingCall;
  readonly sentAt: number;
}

/** The number that such a call was answered; undefined when it did not run. */
export function lateCountOf(answer: unknown): number | undefined {
  return typeof answer === 'string' && /^-?\d+$/.test(answer) ? Number(answer) : undefined;
}

/** The same of a call that must have run. */
export function countOf(answer: string): number {
  const count = lateCountOf(answer);
  if (count === undefined) {
    throw new UnexpectedReplyError(`the server refused a request as ${JSON.stringify(answer)}`);
  }
  return count;
}
