import { UnexpectedReplyError } from '../../errors.js';
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
    }
  | { readonly is: 'taken' }
  | { readonly is: 'deleted' };

/** How the leases of one kind of object are renewed: many with one script call, which answers for
 * each. Each kind has one constant, so that leases can be grouped by it. */
export type Renewal = (items: readonly RenewalItem[]) => Command<readonly RenewalAnswer[]>;

const HELD: RenewalAnswer = { is: 'held', lifeMs: -1 };
const TAKEN: RenewalAnswer = { is: 'taken' };
const DELETED: RenewalAnswer = { is: 'deleted' };

/** Reads the answers of a renewal script, a word for each lease: `1` held, or `1:20000` with the ms
 * that the object has left; `2` held by another; `0` held by none. */
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

/** What a renewal asks for a lease: `leaseMs` more, or with 0 whether it is still held. */
export function itemOf(lease: Lease, leaseMs: number): RenewalItem {
  const { key, holderId } = lease.identity;
  return { key, holderId, leaseMs, count: lease.alive };
}

/** Judges what the server says of leases, to items of so many ms that were sent at `sentAt`. */
export function judgeAll(
  leases: readonly Lease[],
  answers: readonly RenewalAnswer[],
  sentAt: number,
  terms: readonly number[],
): void {
  if (answers.length !== leases.length) {
    // Nothing is proven by that: each lease is lost at its deadline, unless a later round proves it.
    const found = `${answers.length} answers to ${leases.length} leases`;
    throw new UnexpectedReplyError(`a renewal was answered with ${found}`);
  }
  leases.forEach((lease, i) => judge(lease, answers[i] ?? DELETED, sentAt, terms[i] ?? 0));
}

function judge(lease: Lease, answer: RenewalAnswer, sentAt: number, leaseMs: number): void {
  if (answer.is === 'held') {
    lease.limit(sentAt, answer.lifeMs);
    lease.prove(sentAt, leaseMs);
  } else {
    lease.lose(answer.is);
  }
}
