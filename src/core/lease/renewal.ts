import { UnexpectedReplyError } from '../../errors.js';
import type { Command } from '../wire/call.js';

/** One lease of a renewal command: 0 asks whether it is still held, and renews nothing. */
export interface RenewalItem {
  readonly key: string;
  readonly holderId: string;
  readonly leaseMs: number;
  /** Holds of this holder. */
  readonly count: number;
}

/** What the server says of a lease: its holder has it, somebody else has it, or nobody. */
export type RenewalAnswer =
  | {
      readonly is: 'held';
      /** What the object itself has left to live; -1: no limit. */
      readonly lifeMs: number;
    }
  | { readonly is: 'taken' }
  | { readonly is: 'deleted' };

/** How the leases of one kind of object are renewed, one constant a kind: many with one script
 * call, which answers for each. */
export type Renewal = (claims: readonly RenewalItem[]) => Command<readonly RenewalAnswer[]>;

const HELD: RenewalAnswer = { is: 'held', lifeMs: -1 };
const TAKEN: RenewalAnswer = { is: 'taken' };
const DELETED: RenewalAnswer = { is: 'deleted' };

/** Reads the words that a renewal script has for each of its leases: `1` held, or `1:20000` with the
 * life of the object; `2` taken; `0` nobody has it. */
export function renewalAnswers(words: Iterable<string>): RenewalAnswer[] {
  return Array.from(words, answerOf);
}

function answerOf(word: string): RenewalAnswer {
  switch (word) {
    case '1':
      return HELD;
    case '2':
      return TAKEN;
    case '0':
      return DELETED;
    default: {
      const [, lifeMs] = /^1:(\d+)$/.exec(word) ?? [];
      if (lifeMs === undefined) {
        throw new UnexpectedReplyError(`a renewal was answered ${JSON.stringify(word)}`);
      }
      return { is: 'held', lifeMs: Number(lifeMs) };
    }
  }
}
