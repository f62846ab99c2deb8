// All that is in some keys: of the real server in one command, and of the simulated one.

import { execute } from '../../../src/testing/commands/commands.js';
import type { Keyspace } from '../../../src/testing/keyspace/keyspace.js';

/** Number of the key, type, expiry, and what is in it: as GET, HGETALL, LRANGE, or ZRANGE with scores returns it. */
export type Content = readonly string[];

/** Returns the contents of those of its keys that there are, each with the number of its key. */
export const LOOK = `
  local contents = {}
  for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' then
      local parts
      if kind == 'string' then
        parts = { redis.call('GET', key) }
      elseif kind == 'hash' then
        parts = redis.call('HGETALL', key)
      elseif kind == 'list' then
        parts = redis.call('LRANGE', key, 0, -1)
      else
        parts = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
      end
      contents[#contents + 1] =
        { tostring(i), kind, string.format('%.0f', redis.call('PEXPIRETIME', key)), unpack(parts) }
    end
  end
  return contents`;

/**
 * Lets time pass for its keys: what they say of times is so many ms older afterwards. Numbers of 13
 * digits are ms, numbers of 16 digits are microseconds.
 */
export const AGE = `
  local ms = tonumber(ARGV[1])
  local function older(number)
    local size = math.abs(number)
    if size > 1e12 and size < 1e13 then
      return string.format('%.0f', number - ms)
    elseif size > 1e15 and size < 1e16 then
      return string.format('%.0f', number - ms * 1000)
    end
  end
  for _, key in ipairs(KEYS) do
    local kind, ttl = redis.call('TYPE', key).ok, redis.call('PTTL', key)
    if kind == 'zset' then
      local items = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
      for i = 1, #items, 2 do
        local score = older(tonumber(items[i + 1]))
        if score then
          redis.call('ZADD', key, score, items[i])
        end
      end
    elseif kind == 'string' then
      local text = redis.call('GET', key)
      local value = string.find(text, '^%d+$') and older(tonumber(text))
      if value then
        redis.call('SET', key, value, 'KEEPTTL')
      end
    end
    if ttl >= 0 then
      redis.call('PEXPIRE', key, ttl - ms)
    end
  end`;

const READ: Readonly<Record<string, (key: string) => string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
};

/** What {@link LOOK} returns, of the simulated server. */
export function look(keyspace: Keyspace, keys: readonly string[]): Content[] {
  const contents: Content[] = [];
  for (const [i, key] of keys.entries()) {
    const type = keyspace.typeOf(key);
    const parts = type === 'none' ? [] : [execute(keyspace, READ[type]!(key))].flat();
    if (type !== 'none') {
      const expiresAt = keyspace.expiresAt(key) ?? Infinity;
      const expiry = expiresAt === Infinity ? '-1' : String(expiresAt);
      contents.push([String(i + 1), type, expiry, ...(parts as string[])]);
    }
  }
  return contents;
}

/** Makes a key what it is on the real server. */
export function load(keyspace: Keyspace, keys: readonly string[], content: Content): void {
  const [number = '', type, expiry = '', ...parts] = content;
  const key = keys[Number(number) - 1] ?? '';
  execute(keyspace, ['DEL', key]);
  switch (type) {
    case 'string':
      execute(keyspace, ['SET', key, parts[0] ?? '']);
      break;
    case 'hash':
      execute(keyspace, ['HSET', key, ...parts]);
      break;
    case 'list':
      execute(keyspace, ['RPUSH', key, ...parts]);
      break;
    default:
      for (let i = 0; i < parts.length; i += 2) {
        execute(keyspace, ['ZADD', key, parts[i + 1]!, parts[i]!]);
      }
  }
  if (expiry !== '-1') {
    keyspace.expireAt(key, Number(expiry));
  }
}
