// Commands for strings, and for the counters in them.

import type { Keyspace } from '../keyspace/keyspace.js';
import { int64, INT64_MAX, INT64_MIN } from '../keyspace/numbers.js';
import { OK, Refusal, type Reply, SYNTAX_ERROR } from '../keyspace/reply.js';
import { command, type Command, NEEDS_MEMORY, READS } from './command.js';

const SET_EXPIRY = new Refusal("ERR invalid expire time in 'set' command");
const OVERFLOW = new Refusal('ERR increment or decrement would overflow');
const DECREMENT_OVERFLOW = new Refusal('ERR decrement would overflow');

type Unit = 'EX' | 'PX' | 'EXAT' | 'PXAT';

interface SetOptions {
  condition?: 'NX' | 'XX';
  unit?: Unit;
  time?: string;
  keepsTtl?: true;
  answersOld?: true;
}

function readOptions(args: readonly string[]): SetOptions {
  const options: SetOptions = {};
  for (let i = 2; i < args.length; i += 1) {
    const option = args[i]?.toUpperCase();
    if ((option === 'NX' || option === 'XX') && (options.condition ?? option) === option) {
      options.condition = option;
    } else if (option === 'GET') {
      options.answersOld = true;
    } else if (option === 'KEEPTTL' && options.unit === undefined) {
      options.keepsTtl = true;
    } else if (
      (option === 'PX' || option === 'EX' || option === 'PXAT' || option === 'EXAT') &&
      (options.unit ?? option) === option &&
      options.keepsTtl !== true &&
      i + 1 < args.length
    ) {
      i += 1;
      options.unit = option;
      options.time = args[i] ?? '';
    } else {
      throw SYNTAX_ERROR;
    }
  }
  return options;
}

/** The ms at which a string that is set with an expiry ends. */
function endOf(unit: Unit, time: string, now: number): number {
  const given = int64(time);
  if (given <= 0) {
    throw SET_EXPIRY;
  }
  const factor = unit === 'EX' || unit === 'EXAT' ? 1000 : 1;
  const base = unit === 'EX' || unit === 'PX' ? now : 0;
  const at = Number(given) * factor + base;
  if (Number.isSafeInteger(at)) {
    return at;
  }
  const exact = BigInt(given) * BigInt(factor) + BigInt(base);
  if (exact > INT64_MAX) {
    throw SET_EXPIRY;
  }
  return Number(exact);
}

function set(keyspace: Keyspace, args: readonly string[]): Reply {
  const [key = '', value = ''] = args;
  if (args.length === 2) {
    keyspace.set(key, value);
    return OK;
  }
  const { condition, unit, time = '', keepsTtl, answersOld } = readOptions(args);
  const expiresAt = unit === undefined ? Infinity : endOf(unit, time, keyspace.nowMs());
  // With GET a key of another type is an error, and stays.
  const old = answersOld === true ? (keyspace.string(key) ?? null) : null;
  if (condition !== undefined && keyspace.has(key) !== (condition === 'XX')) {
    return old;
  }
  const kept = keepsTtl === true ? keyspace.expiresAt(key) : undefined;
  keyspace.set(key, value);
  keyspace.expireAt(key, kept ?? expiresAt);
  return answersOld === true ? old : OK;
}

function add(keyspace: Keyspace, key: string, change: number | bigint): number {
  const before = int64(keyspace.string(key) ?? '0');
  const sum = Number(before) + Number(change);
  if (Number.isSafeInteger(sum) && typeof before === 'number' && typeof change === 'number') {
    keyspace.change(key, String(sum));
    return sum;
  }
  const exact = BigInt(before) + BigInt(change);
  if (exact > INT64_MAX || exact < INT64_MIN) {
    throw OVERFLOW;
  }
  keyspace.change(key, String(exact));
  return Number(exact);
}

function decrby(keyspace: Keyspace, [key = '', text = '']: readonly string[]): number {
  const change = int64(text);
  if (change === INT64_MIN) {
    throw DECREMENT_OVERFLOW;
  }
  return add(keyspace, key, -change);
}

export const STRING_COMMANDS: readonly Command[] = [
  command('get', 2, READS, (keyspace, [key = '']) => keyspace.string(key) ?? null),
  command('set', -3, NEEDS_MEMORY, set),
  command('incr', 2, NEEDS_MEMORY, (keyspace, [key = '']) => add(keyspace, key, 1)),
  command('decr', 2, NEEDS_MEMORY, (keyspace, [key = '']) => add(keyspace, key, -1)),
  command('incrby', 3, NEEDS_MEMORY, (keyspace, [key = '', change = '']) =>
    add(keyspace, key, int64(change)),
  ),
  command('decrby', 3, NEEDS_MEMORY, decrby),
];
