import { UnexpectedReplyError, WrongTypeError } from '../../server-errors.js';
import type { Command } from '../wire/call.js';
import type { Lease } from './lease.js';

/** One lease of a renewal command; `leaseMs` 0 only asks whether it is still held. */
export interface RenewalItem {
  readonly key: string;
  readonly holderId: string;
  readonly leaseMs: number;
  /** Number of holds of this holder. */
  readonly count: number;
}

/** The answer for one lease: held by its holder, held by another (`taken`) or by none. */
export type RenewalAnswer =
  | {
      readonly is: 'held';
      /** What the object itself has left to live; -1: no limit. */
      readonly lifeMs: number;
      /** What the lease has left, where the server says it; -1 elsewhere. */
      readonly leftMs: number;
    }
  | { readonly is: 'taken' }
  | { readonly is: 'deleted' }
  /** The key was overwritten with something that is no such object. */
  | { readonly is: 'foreign' };

/** How the leases of one kind of object are renewed: many with one script call, which answers for
 * each. Each kind has one constant, so that leases can be grouped by it. */
export type Renewal = (items: readonly RenewalItem[]) => Command<readonly RenewalAnswer[]>;

const HELD: RenewalAnswer = { is: 'held', lifeMs: -1, leftMs: -1 };
const TAKEN: RenewalAnswer = { is: 'taken' };
const DELETED: RenewalAnswer = { is: 'deleted' };
const FOREIGN: RenewalAnswer = { is: 'foreign' };

/** Reads the answers of a renewal script, a word for each lease: `1` held, or `1:20000` with the ms
 * that the object has left, or `1:20000:500` and `1::500` with those that the lease has left; `2`
 * held by another; `0` held by none; `3` the key holds something else. */
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
    case '3':
      return FOREIGN;
    default: {
      const [, lifeMs, leftMs] = /^1:(?=[\d:])(\d*)(?::(\d+))?$/.exec(word) ?? [];
      if (lifeMs === undefined) {
        throw new UnexpectedReplyError(`a renewal was answered ${JSON.stringify(word)}`);
      }
      return { is: 'held', lifeMs: Number(lifeMs || -1), leftMs: Number(leftMs ?? -1) };
    }
  }
}

/** What a renewal asks for a lease: `leaseMs` more, or with 0 whether it is still held. */
export function itemOf(lease: Lease, leaseMs: number): RenewalItem {
  const { key, holderId } = lease.identity;
  return { key, holderId, leaseMs, count: lease.alive };
}

/** Judges what the server says of leases, to items of so many ms that were sent at `sentAt`, and
 * answered at `now`. */
export function judgeAll(
  leases: readonly Lease[],
  answers: readonly RenewalAnswer[],
  { sentAt, now }: { readonly sentAt: number; readonly now: number },
  terms: readonly number[],
): void {
  if (answers.length !== leases.length) {
    // Nothing is proven by that: each lease is lost at its deadline, unless a later round proves it.
    const found = `${answers.length} answers to ${leases.length} leases`;
    throw new UnexpectedReplyError(`a renewal was answered with ${found}`);
  }
  leases.forEach((lease, i) => {
    const answer = answers[i] ?? DELETED;
    if (answer.is === 'held') {
      lease.limit(sentAt, answer.lifeMs);
      lease.prove(sentAt, terms[i] ?? 0);
      if (answer.leftMs >= 0 && lease.covers(now + answer.leftMs)) {
        // So much is not lost on the way: another client has set an earlier end.
        lease.shorten(sentAt, answer.leftMs);
      } else if (!lease.covers(now)) {
        lease.prove(sentAt, Math.max(0, answer.leftMs));
      }
    } else if (answer.is === 'foreign') {
      const { resource, key } = lease.identity;
      const message = `"${resource}" was overwritten: the key "${key}" holds something else`;
      lease.lose('taken', new WrongTypeError(message, key, { resource }));
    } else {
      lease.lose(answer.is);
    }
  });
}
