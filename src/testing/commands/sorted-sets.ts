// Commands for sorted sets.

import type { Keyspace } from '../keyspace/keyspace.js';
import { type Bound, bound, integer, printScore } from '../keyspace/numbers.js';
import { Refusal, type Reply, SYNTAX_ERROR } from '../keyspace/reply.js';
import type { Item, SortedSet } from '../keyspace/sorted-set.js';
import { command, type Command, NEEDS_MEMORY, READS, WRITES } from './command.js';
import { ranks } from './ranks.js';
import { zadd } from './zadd.js';

const LIMIT_WITHOUT_SCORES = new Refusal(
  'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
);
const BY_LEX = new Refusal('ERR the simulated server has no BYLEX');

function zrem(keyspace: Keyspace, [key = '', ...members]: readonly string[]): number {
  const set = keyspace.sortedSet(key);
  let removed = 0;
  for (const member of set === undefined ? [] : members) {
    removed += set?.delete(member) === true ? 1 : 0;
  }
  if (set?.size === 0) {
    keyspace.delete(key);
  }
  return removed;
}

function scoreOf(set: SortedSet | undefined, member: string): string | null {
  const score = set?.score(member);
  return score === undefined ? null : printScore(score);
}

function zmscore(keyspace: Keyspace, [key = '', ...members]: readonly string[]): Reply {
  const set = keyspace.sortedSet(key);
  return members.map((member) => scoreOf(set, member));
}

/** Between which positions a range of scores is. */
function within(set: SortedSet, min: Bound, max: Bound): { from: number; to: number } {
  const from = set.before(min);
  return { from, to: Math.max(from, set.upTo(max)) };
}

function zcount(keyspace: Keyspace, [key = '', min = '', max = '']: readonly string[]): number {
  const [low, high] = [bound(min), bound(max)];
  const set = keyspace.sortedSet(key);
  if (set === undefined) {
    return 0;
  }
  const { from, to } = within(set, low, high);
  return to - from;
}

function zremrangebyscore(
  keyspace: Keyspace,
  [key = '', min = '', max = '']: readonly string[],
): number {
  const [low, high] = [bound(min), bound(max)];
  const set = keyspace.sortedSet(key);
  if (set === undefined) {
    return 0;
  }
  const { from, to } = within(set, low, high);
  const removed = set.deleteBetween(from, to);
  if (set.size === 0) {
    keyspace.delete(key);
  }
  return removed;
}

interface RangeOptions {
  byScore: boolean;
  isReverse: boolean;
  withScores: boolean;
  offset: number;
  /** Negative: no limit. */
  count: number;
}

/** `ZRANGE` says in its options what the older commands say in their names. */
function readRangeOptions(args: readonly string[], given: Partial<RangeOptions>): RangeOptions {
  const options = {
    byScore: false,
    isReverse: false,
    withScores: false,
    offset: 0,
    count: -1,
    ...given,
  };
  const isFixed = given.byScore !== undefined;
  for (let i = 3; i < args.length; i += 1) {
    const option = args[i]?.toUpperCase();
    if (option === 'WITHSCORES') {
      options.withScores = true;
    } else if (option === 'LIMIT' && i + 2 < args.length) {
      options.offset = integer(args[i + 1] ?? '');
      options.count = integer(args[i + 2] ?? '');
      i += 2;
    } else if (option === 'REV' && !isFixed) {
      options.isReverse = true;
    } else if (option === 'BYSCORE' && !isFixed) {
      options.byScore = true;
    } else if (option === 'BYLEX' && !isFixed) {
      throw BY_LEX;
    } else {
      throw SYNTAX_ERROR;
    }
  }
  if (!options.byScore && options.count !== -1) {
    throw LIMIT_WITHOUT_SCORES;
  }
  return options;
}

function itemsByScore(set: SortedSet, min: Bound, max: Bound, options: RangeOptions): Item[] {
  const { from, to } = within(set, min, max);
  const { isReverse, offset, count } = options;
  if (offset < 0) {
    return [];
  }
  const length = Math.min(count < 0 ? Infinity : count, Math.max(to - from - offset, 0));
  return isReverse
    ? set.slice(to - offset - length, to - offset).toReversed()
    : set.slice(from + offset, from + offset + length);
}

function itemsByRank(set: SortedSet, start: number, stop: number, isReverse: boolean): Item[] {
  const { from, to } = ranks(set.size, start, stop);
  return isReverse ? set.slice(set.size - to, set.size - from).toReversed() : set.slice(from, to);
}

function range(
  keyspace: Keyspace,
  args: readonly string[],
  given: Partial<RangeOptions>,
): string[] {
  const options = readRangeOptions(args, given);
  const [key = '', start = '', stop = ''] = args;
  let items: Item[];
  if (options.byScore) {
    // Backwards, the larger end comes first.
    const [min, max] = options.isReverse
      ? [bound(stop), bound(start)]
      : [bound(start), bound(stop)];
    const set = keyspace.sortedSet(key);
    items = set === undefined ? [] : itemsByScore(set, min, max, options);
  } else {
    const [first, last] = [integer(start), integer(stop)];
    const set = keyspace.sortedSet(key);
    items = set === undefined ? [] : itemsByRank(set, first, last, options.isReverse);
  }
  return options.withScores
    ? items.flatMap(({ member, score }) => [member, printScore(score)])
    : items.map(({ member }) => member);
}

export const SORTED_SET_COMMANDS: readonly Command[] = [
  command('zadd', -4, NEEDS_MEMORY, zadd),
  command('zrem', -3, WRITES, zrem),
  command('zscore', 3, READS, (keyspace, [key = '', member = '']) =>
    scoreOf(keyspace.sortedSet(key), member),
  ),
  command('zmscore', -3, READS, zmscore),
  command('zcard', 2, READS, (keyspace, [key = '']) => keyspace.sortedSet(key)?.size ?? 0),
  command('zcount', 4, READS, zcount),
  command('zrange', -4, READS, (keyspace, args) => range(keyspace, args, {})),
  command('zrevrange', -4, READS, (keyspace, args) =>
    range(keyspace, args, { byScore: false, isReverse: true }),
  ),
  command('zrangebyscore', -4, READS, (keyspace, args) =>
    range(keyspace, args, { byScore: true, isReverse: false }),
  ),
  command('zremrangebyscore', 4, WRITES, zremrangebyscore),
];
