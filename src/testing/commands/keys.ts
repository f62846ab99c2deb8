// Commands for keys of every type: whether they exist, and for how long.

import type { Keyspace } from '../keyspace/keyspace.js';
import { int64, INT64_MAX, INT64_MIN } from '../keyspace/numbers.js';
import { OK, Refusal, type Reply, Status, SYNTAX_ERROR } from '../keyspace/reply.js';
import { command, type Command, READS, WRITES } from './command.js';
import { globExpression } from './glob.js';

function exists(keyspace: Keyspace, keys: readonly string[]): number {
  let found = 0;
  for (const key of keys) {
    found += keyspace.has(key) ? 1 : 0;
  }
  return found;
}

function del(keyspace: Keyspace, keys: readonly string[]): number {
  let deleted = 0;
  for (const key of keys) {
    deleted += keyspace.delete(key) ? 1 : 0;
  }
  return deleted;
}

function keysLike(keyspace: Keyspace, [pattern = '']: readonly string[]): string[] {
  const keys = keyspace.keys();
  if (pattern === '*') {
    return keys;
  }
  const expression = globExpression(pattern);
  return keys.filter((key) => expression.test(key));
}

function flush(keyspace: Keyspace, [mode = 'SYNC', ...more]: readonly string[]): Reply {
  if (!/^a?sync$/i.test(mode) || more.length > 0) {
    throw SYNTAX_ERROR;
  }
  keyspace.clear();
  return OK;
}

function pttl(keyspace: Keyspace, [key = '']: readonly string[]): number {
  const expiresAt = keyspace.expiresAt(key);
  if (expiresAt === undefined) {
    return -2;
  }
  return expiresAt === Infinity ? -1 : expiresAt - keyspace.nowMs();
}

function pexpiretime(keyspace: Keyspace, [key = '']: readonly string[]): number {
  const expiresAt = keyspace.expiresAt(key) ?? -2;
  return expiresAt === Infinity ? -1 : expiresAt;
}

function persist(keyspace: Keyspace, [key = '']: readonly string[]): number {
  const expiresAt = keyspace.expiresAt(key) ?? Infinity;
  if (expiresAt === Infinity) {
    return 0;
  }
  keyspace.expireAt(key, Infinity);
  return 1;
}

type Condition = 'NX' | 'XX' | 'GT' | 'LT';

function isCondition(text: string): text is Condition {
  return text === 'NX' || text === 'XX' || text === 'GT' || text === 'LT';
}

function readConditions(options: readonly string[]): Set<Condition> {
  const conditions = new Set<Condition>();
  for (const option of options) {
    const condition = option.toUpperCase();
    if (!isCondition(condition)) {
      throw new Refusal(`ERR Unsupported option ${option}`);
    }
    conditions.add(condition);
  }
  if (conditions.has('NX') && conditions.size > 1) {
    throw new Refusal('ERR NX and XX, GT or LT options at the same time are not compatible');
  }
  if (conditions.has('GT') && conditions.has('LT')) {
    throw new Refusal('ERR GT and LT options at the same time are not compatible');
  }
  return conditions;
}

/** Whether a key that expires at `before` may get the expiry `at`. No TTL is an infinite one. */
function mayExpire(conditions: ReadonlySet<Condition>, before: number, at: number): boolean {
  return !(
    (conditions.has('NX') && before !== Infinity) ||
    (conditions.has('XX') && before === Infinity) ||
    (conditions.has('GT') && at <= before) ||
    (conditions.has('LT') && at >= before)
  );
}

/** The instant that is `ms` after `base`; what does not fit into 64 bits is refused. */
function instant(name: string, ms: number | bigint, base: number): number {
  const at = BigInt(ms) + BigInt(base);
  if (at > INT64_MAX || at < INT64_MIN) {
    throw new Refusal(`ERR invalid expire time in '${name}' command`);
  }
  return Number(at);
}

function expire(
  keyspace: Keyspace,
  name: string,
  base: number,
  [key = '', time = '', ...options]: readonly string[],
): number {
  const conditions = readConditions(options);
  const ms = int64(time);
  const sum = base + Number(ms);
  const at = Number.isSafeInteger(sum) ? sum : instant(name, ms, base);
  const before = keyspace.expiresAt(key);
  if (before === undefined || (conditions.size > 0 && !mayExpire(conditions, before, at))) {
    return 0;
  }
  // What would end at this very instant ends now, although a key lives through its last ms.
  if (at <= keyspace.nowMs()) {
    keyspace.delete(key);
  } else {
    keyspace.expireAt(key, at);
  }
  return 1;
}

const ALL_KEYS = { firstKey: 1, lastKey: -1 };

export const KEY_COMMANDS: readonly Command[] = [
  command('exists', -2, { ...READS, ...ALL_KEYS }, exists),
  command('del', -2, { ...WRITES, ...ALL_KEYS }, del),
  command('unlink', -2, { ...WRITES, ...ALL_KEYS }, del),
  command('type', 2, READS, (keyspace, [key = '']) => new Status(keyspace.typeOf(key))),
  command('keys', 2, { ...READS, firstKey: 0 }, keysLike),
  command('flushall', -1, { ...WRITES, firstKey: 0 }, flush),
  command('pttl', 2, READS, pttl),
  command('pexpiretime', 2, READS, pexpiretime),
  command('persist', 2, WRITES, persist),
  command('pexpire', -3, WRITES, (keyspace, args) =>
    expire(keyspace, 'pexpire', keyspace.nowMs(), args),
  ),
  command('pexpireat', -3, WRITES, (keyspace, args) => expire(keyspace, 'pexpireat', 0, args)),
  command('time', 1, { ...READS, firstKey: 0 }, (keyspace) => {
    const micros = keyspace.nowMicros();
    return [String(Math.floor(micros / 1e6)), String(micros % 1e6)];
  }),
];
