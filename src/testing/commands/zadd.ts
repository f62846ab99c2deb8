// ZADD, with all its options.

import type { Keyspace } from '../keyspace/keyspace.js';
import { printScore, score as readScore } from '../keyspace/numbers.js';
import { Refusal, type Reply, SYNTAX_ERROR } from '../keyspace/reply.js';
import { SortedSet } from '../keyspace/sorted-set.js';

const NX_AND_XX = new Refusal('ERR XX and NX options at the same time are not compatible');
const NX_GT_LT = new Refusal('ERR GT, LT, and/or NX options at the same time are not compatible');
const INCR_PAIRS = new Refusal('ERR INCR option supports a single increment-element pair');
const NOT_A_NUMBER = new Refusal('ERR resulting score is not a number (NaN)');

// Options are bits of one number.
const NX = 1;
const XX = 2;
const GT = 4;
const LT = 8;
const CH = 16;
const INCR = 32;

function optionOf(text: string): number {
  switch (text.toUpperCase()) {
    case 'NX':
      return NX;
    case 'XX':
      return XX;
    case 'GT':
      return GT;
    case 'LT':
      return LT;
    case 'CH':
      return CH;
    case 'INCR':
      return INCR;
    default:
      return 0;
  }
}

function checkOptions(options: number, pairs: number): void {
  if ((options & NX) !== 0 && (options & XX) !== 0) {
    throw NX_AND_XX;
  }
  const ordering = options & (NX | GT | LT);
  if (ordering !== 0 && ordering !== NX && ordering !== GT && ordering !== LT) {
    throw NX_GT_LT;
  }
  if ((options & INCR) !== 0 && pairs > 1) {
    throw INCR_PAIRS;
  }
}

/** The score that a member gets; undefined when it keeps what it has, or stays away. */
function newScore(options: number, before: number | undefined, given: number): number | undefined {
  if (before === undefined) {
    return (options & XX) === 0 ? given : undefined;
  }
  if ((options & NX) !== 0) {
    return undefined;
  }
  const score = (options & INCR) === 0 ? given : before + given;
  if (Number.isNaN(score)) {
    throw NOT_A_NUMBER;
  }
  const isRefused =
    ((options & LT) !== 0 && score >= before) || ((options & GT) !== 0 && score <= before);
  return isRefused ? undefined : score;
}

/** All scores are read before one is set. */
function readScores(args: readonly string[], first: number): number[] {
  const scores: number[] = [];
  for (let i = first; i < args.length; i += 2) {
    scores.push(readScore(args[i] ?? ''));
  }
  return scores;
}

export function zadd(keyspace: Keyspace, args: readonly string[]): Reply {
  const key = args[0] ?? '';
  let [options, first] = [0, 1];
  for (let option = optionOf(args[1] ?? ''); option !== 0; option = optionOf(args[first] ?? '')) {
    options |= option;
    first += 1;
  }
  const pairs = (args.length - first) / 2;
  if (!Number.isInteger(pairs) || pairs === 0) {
    throw SYNTAX_ERROR;
  }
  checkOptions(options, pairs);
  const scores = readScores(args, first);
  let set = keyspace.sortedSet(key);
  if (set === undefined) {
    if ((options & XX) !== 0) {
      return (options & INCR) === 0 ? 0 : null;
    }
    set = new SortedSet();
    keyspace.set(key, set);
  }
  let [added, changed] = [0, 0];
  let last: number | undefined;
  for (let i = 0; i < pairs; i += 1) {
    const member = args[first + 2 * i + 1] ?? '';
    const before = set.score(member);
    last = newScore(options, before, scores[i] ?? 0);
    if (last !== undefined && last !== before) {
      set.set(member, last);
      added += before === undefined ? 1 : 0;
      changed += 1;
    }
  }
  if ((options & INCR) !== 0) {
    return last === undefined ? null : printScore(last);
  }
  return (options & CH) === 0 ? added : changed;
}
