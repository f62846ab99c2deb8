import { UnexpectedReplyError } from '../errors.js';

/** What a counted call was answered, and the instant before it was first sent. */
export interface Counted {
  readonly count: number;
  readonly sentAt: number;
}

/** The number that a counted call was answered; throws when the server refused to run it. */
export function countOf(answer: string): number {
  if (!/^-?\d+$/.test(answer)) {
    throw new UnexpectedReplyError(`the server refused a request as ${JSON.stringify(answer)}`);
  }
  return Number(answer);
}
