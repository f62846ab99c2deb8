// Commands for hashes.

import { Hash } from '../keyspace/hash.js';
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
import { globExpression } from './glob.js';

const INVALID_CURSOR = new Refusal('ERR invalid cursor');

function hset(keyspace: Keyspace, args: readonly string[]): Reply {
  if (args.length % 2 === 0) {
    throw new Refusal(wrongNumberOfArguments('hset'));
  }
  const [key = ''] = args;
  let hash = keyspace.hash(key);
  if (hash === undefined) {
    hash = new Hash();
    keyspace.set(key, hash);
  }
  const before = hash.size;
  for (let i = 1; i < args.length; i += 2) {
    hash.set(args[i] ?? '', args[i + 1] ?? '');
  }
  return hash.size - before;
}

function hdel(keyspace: Keyspace, [key = '', ...fields]: readonly string[]): number {
  const hash = keyspace.hash(key);
  let deleted = 0;
  for (const field of hash === undefined ? [] : fields) {
    deleted += hash?.delete(field) === true ? 1 : 0;
  }
  if (hash?.size === 0) {
    keyspace.delete(key);
  }
  return deleted;
}

interface ScanOptions {
  readonly count: number;
  readonly pattern: string;
}

function readScanOptions(args: readonly string[]): ScanOptions {
  let [count, pattern] = [10, '*'];
  for (let i = 2; i < args.length; i += 2) {
    const option = args[i]?.toUpperCase();
    const value = args[i + 1];
    if (option === 'COUNT' && value !== undefined) {
      count = integer(value);
    } else if (option === 'MATCH' && value !== undefined) {
      pattern = value;
    } else {
      throw SYNTAX_ERROR;
    }
    if (count < 1) {
      throw SYNTAX_ERROR;
    }
  }
  return { count, pattern };
}

function hscan(keyspace: Keyspace, args: readonly string[]): Reply {
  const [key = '', cursor = ''] = args;
  if (!/^(?:[+-]?\d{1,19})?$/.test(cursor)) {
    throw INVALID_CURSOR;
  }
  const hash = keyspace.hash(key);
  if (hash === undefined) {
    return ['0', []];
  }
  const { count, pattern } = readScanOptions(args);
  const { next, page } = hash.scan(Number(cursor), count);
  if (pattern === '*') {
    return [String(next), page.flat()];
  }
  const expression = globExpression(pattern);
  return [String(next), page.filter(([field]) => expression.test(field)).flat()];
}

/** `count` different ones of `items`, in their order. */
function sample<T>(keyspace: Keyspace, items: readonly T[], count: number): T[] {
  let wanted = Math.min(count, items.length);
  return items.filter((_, at) => {
    const isChosen = keyspace.random.next() * (items.length - at) < wanted;
    wanted -= isChosen ? 1 : 0;
    return isChosen;
  });
}

function hrandfield(keyspace: Keyspace, args: readonly string[]): Reply {
  const [key = '', number, option] = args;
  if (number === undefined) {
    const fields = keyspace.hash(key)?.entries();
    return fields === undefined ? null : keyspace.random.pick(fields)[0];
  }
  const count = integer(number);
  if (args.length > 3 || (option !== undefined && option.toUpperCase() !== 'WITHVALUES')) {
    throw SYNTAX_ERROR;
  }
  const entries = keyspace.hash(key)?.entries() ?? [];
  const chosen =
    count >= 0 || entries.length === 0
      ? sample(keyspace, entries, count)
      : Array.from({ length: -count }, () => keyspace.random.pick(entries));
  return option === undefined ? chosen.map(([field]) => field) : chosen.flat();
}

export const HASH_COMMANDS: readonly Command[] = [
  command('hset', -4, NEEDS_MEMORY, hset),
  command(
    'hget',
    3,
    READS,
    (keyspace, [key = '', field = '']) => keyspace.hash(key)?.get(field) ?? null,
  ),
  command('hdel', -3, WRITES, hdel),
  command('hexists', 3, READS, (keyspace, [key = '', field = '']) =>
    keyspace.hash(key)?.has(field) === true ? 1 : 0,
  ),
  command('hlen', 2, READS, (keyspace, [key = '']) => keyspace.hash(key)?.size ?? 0),
  command('hgetall', 2, READS, (keyspace, [key = '']) =>
    (keyspace.hash(key)?.entries() ?? []).flat(),
  ),
  command('hscan', -3, READS, hscan),
  command('hrandfield', -2, READS, hrandfield),
];
