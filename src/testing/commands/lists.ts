// Commands for lists.

import type { Keyspace } from '../keyspace/keyspace.js';
import { integer } from '../keyspace/numbers.js';
import { Refusal, type Reply, SYNTAX_ERROR } from '../keyspace/reply.js';
import {
  command,
  type Command,
  NEEDS_MEMORY,
  READS,
  wrongNumberOfArguments,
  WRITES,
} from './command.js';
import { ranks } from './ranks.js';

const NEGATIVE_COUNT = new Refusal("ERR COUNT can't be negative");
const NEGATIVE_LIMIT = new Refusal("ERR MAXLEN can't be negative");
const MUST_BE_POSITIVE = new Refusal('ERR value is out of range, must be positive');

type End = 'left' | 'right';

function push(end: End, keyspace: Keyspace, [key = '', ...elements]: readonly string[]): number {
  let list = keyspace.list(key);
  if (list === undefined) {
    list = [];
    keyspace.set(key, list);
  }
  for (const element of elements) {
    if (end === 'left') {
      list.unshift(element);
    } else {
      list.push(element);
    }
  }
  return list.length;
}

/** Whatever else the text is, the refusal is the same. */
function notNegative(text: string, refusal: Refusal): number {
  try {
    const value = integer(text);
    if (value >= 0) {
      return value;
    }
  } catch {
    // It is no integer.
  }
  throw refusal;
}

function lpop(keyspace: Keyspace, args: readonly string[]): Reply {
  const [key = '', number] = args;
  if (args.length > 2) {
    throw new Refusal(wrongNumberOfArguments('lpop'));
  }
  const count = number === undefined ? 1 : notNegative(number, MUST_BE_POSITIVE);
  const list = keyspace.list(key);
  if (list === undefined) {
    return null;
  }
  const popped = list.splice(0, count);
  if (list.length === 0) {
    keyspace.delete(key);
  }
  return number === undefined ? (popped[0] ?? null) : popped;
}

function lindex(keyspace: Keyspace, [key = '', index = '']: readonly string[]): Reply {
  const list = keyspace.list(key);
  return list === undefined ? null : (list.at(integer(index)) ?? null);
}

function lrange(keyspace: Keyspace, [key = '', start = '', stop = '']: readonly string[]): Reply {
  const [first, last] = [integer(start), integer(stop)];
  const list = keyspace.list(key) ?? [];
  const { from, to } = ranks(list.length, first, last);
  return list.slice(from, to);
}

function lrem(keyspace: Keyspace, [key = '', number = '', element]: readonly string[]): number {
  const count = integer(number);
  const list = keyspace.list(key);
  if (list === undefined) {
    return 0;
  }
  let removed = 0;
  const limit = count === 0 ? Infinity : Math.abs(count);
  while (removed < limit) {
    const at = count < 0 ? list.lastIndexOf(element ?? '') : list.indexOf(element ?? '');
    if (at === -1) {
      break;
    }
    list.splice(at, 1);
    removed += 1;
  }
  if (list.length === 0) {
    keyspace.delete(key);
  }
  return removed;
}

function linsert(
  keyspace: Keyspace,
  [key = '', place = '', pivot = '', element = '']: readonly string[],
): number {
  const where = place.toUpperCase();
  if (where !== 'BEFORE' && where !== 'AFTER') {
    throw SYNTAX_ERROR;
  }
  const list = keyspace.list(key);
  if (list === undefined) {
    return 0;
  }
  const at = list.indexOf(pivot);
  if (at === -1) {
    return -1;
  }
  list.splice(where === 'AFTER' ? at + 1 : at, 0, element);
  return list.length;
}

interface PositionOptions {
  readonly rank: number;
  readonly count: number | undefined;
  readonly limit: number;
}

function readPositionOptions(args: readonly string[]): PositionOptions {
  let [rank, limit] = [1, 0];
  let count: number | undefined;
  for (let i = 2; i < args.length; i += 2) {
    const option = args[i]?.toUpperCase();
    const value = args[i + 1];
    if (value === undefined) {
      throw SYNTAX_ERROR;
    }
    if (option === 'RANK') {
      rank = integer(value);
      if (rank === 0) {
        throw new Refusal(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... " +
            'or use negative to start from the end of the list',
        );
      }
    } else if (option === 'COUNT') {
      count = notNegative(value, NEGATIVE_COUNT);
    } else if (option === 'MAXLEN') {
      limit = notNegative(value, NEGATIVE_LIMIT);
    } else {
      throw SYNTAX_ERROR;
    }
  }
  return { rank, count, limit };
}

function lpos(keyspace: Keyspace, args: readonly string[]): Reply {
  const [key = '', element = ''] = args;
  const { rank, count, limit } = readPositionOptions(args);
  const list = keyspace.list(key) ?? [];
  const found: number[] = [];
  const wanted = count === 0 ? Infinity : (count ?? 1);
  const compared = limit === 0 ? list.length : Math.min(limit, list.length);
  let skips = Math.abs(rank) - 1;
  for (let i = 0; i < compared && found.length < wanted; i += 1) {
    const at = rank > 0 ? i : list.length - 1 - i;
    if (list[at] === element) {
      if (skips === 0) {
        found.push(at);
      } else {
        skips -= 1;
      }
    }
  }
  return count === undefined ? (found[0] ?? null) : found;
}

export const LIST_COMMANDS: readonly Command[] = [
  command('lpush', -3, NEEDS_MEMORY, (keyspace, args) => push('left', keyspace, args)),
  command('rpush', -3, NEEDS_MEMORY, (keyspace, args) => push('right', keyspace, args)),
  command('lpop', -2, WRITES, lpop),
  command('lindex', 3, READS, lindex),
  command('llen', 2, READS, (keyspace, [key = '']) => keyspace.list(key)?.length ?? 0),
  command('lrange', 4, READS, lrange),
  command('lrem', 4, WRITES, lrem),
  command('linsert', 5, NEEDS_MEMORY, linsert),
  command('lpos', -3, READS, lpos),
];
