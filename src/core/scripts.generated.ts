// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.
import { integer, integerOrNull, text } from './decode.js';
import type { Script } from './script.js';

/** count a latch down by one, at most once per request; open it at zero. */
export const latchCountDown: Script<
  { latch: string; opened: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'latch/count-down',
  sha1: 'a24526a28fc679df3a0076eb639716846f724c51',
  source: `-- latch/count-down
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 600000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local function latch_open(latch, opened, publish, channel)
  local time = redis.call('TIME')
  redis.call('DEL', latch)
  redis.call('SET', opened, time[1] .. '.' .. time[2], 'PX', 600000)
  redis.call(publish, channel, '0')
end
local latch, requests, number, floor = KEYS[1], KEYS[3], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local count = latch_count(latch)
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if count > 1 then
  redis.call('DECR', latch)
elseif redis.call('EXISTS', latch) == 1 then
  latch_open(latch, KEYS[2], ARGV[3], ARGV[4])
end
return record(requests, number, floor, string.format('%.0f', math.max(count - 1, 0)))`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** remove a latch and let its waiters go, at most once per request. */
export const latchDelete: Script<
  { latch: string; opened: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'latch/delete',
  sha1: '80fc46c1b92a31c1dc26bed48073be5268e1d912',
  source: `-- latch/delete
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 600000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local function latch_open(latch, opened, publish, channel)
  local time = redis.call('TIME')
  redis.call('DEL', latch)
  redis.call('SET', opened, time[1] .. '.' .. time[2], 'PX', 600000)
  redis.call(publish, channel, '0')
end
local latch, requests, number, floor = KEYS[1], KEYS[3], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if not latch_count(latch) then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if redis.call('EXISTS', latch) == 0 then
  return record(requests, number, floor, '0')
end
latch_open(latch, KEYS[2], ARGV[3], ARGV[4])
return record(requests, number, floor, '1')`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** the count of a latch, when it last reached zero, and how long it still lives. */
export const latchInspect: Script<
  { latch: string; opened: string },
  Record<string, never>,
  string
> = {
  name: 'latch/inspect',
  sha1: 'f09107a564be661646efddc20e11d83270ae9bd3',
  source: `-- latch/inspect
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local count = latch_count(KEYS[1])
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
local opened = redis.call('GET', KEYS[2]) or ''
return string.format('%.0f %.0f %s', count, redis.call('PTTL', KEYS[1]), opened)`,
  operands: (keys) => [2, keys.latch, keys.opened],
  decode: text,
};

/** set the count of a latch unless one is set, at most once per request. */
export const latchTrySetCount: Script<
  { latch: string; requests: string },
  { number: number; floor: number; count: number; ttlMs: number; publish: string; channel: string },
  string
> = {
  name: 'latch/try-set-count',
  sha1: '5d1726207187bca831be6e35ee5e76a72d8bc6d3',
  source: `-- latch/try-set-count
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 600000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local latch, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local count = latch_count(latch)
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if count > 0 then
  return record(requests, number, floor, '0')
end
redis.call('SET', latch, ARGV[3])
if tonumber(ARGV[4]) > 0 then
  redis.call('PEXPIRE', latch, ARGV[4])
end
redis.call(ARGV[5], ARGV[6], '1')
return record(requests, number, floor, '1')`,
  operands: (keys, args) => [2, keys.latch, keys.requests, args.number, args.floor, args.count, args.ttlMs, args.publish, args.channel],
  decode: text,
};

/** take hold number `count` of a lock, or say how long its lease still runs. */
export const lockAcquire: Script<
  { lock: string; cancelled: string },
  { holder: string; count: number; leaseMs: number },
  number | null
> = {
  name: 'lock/acquire',
  sha1: '5781d2fe418c0066488e73c27c56fa046bb63eb4',
  source: `-- lock/acquire
local function admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, holder, count = KEYS[1], ARGV[1], tonumber(ARGV[2])
local refusal, held = admit(lock, KEYS[2], holder, count)
if refusal then
  return refusal
end
write_hold(lock, holder, held, count, tonumber(ARGV[3]))
return nil`,
  operands: (keys, args) => [2, keys.lock, keys.cancelled, args.holder, args.count, args.leaseMs],
  decode: integerOrNull,
};

/** take a lock with a fencing token, or say how long its lease still runs. */
export const lockAcquireFenced: Script<
  { lock: string; cancelled: string; token: string },
  { holder: string; count: number; leaseMs: number },
  string
> = {
  name: 'lock/acquire-fenced',
  sha1: '41ef6d60b091217cbffdb6b975de61bada08c1c1',
  source: `-- lock/acquire-fenced
local function admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, token, holder, count = KEYS[1], KEYS[3], ARGV[1], tonumber(ARGV[2])
local refusal, held = admit(lock, KEYS[2], holder, count)
if type(refusal) == 'table' then
  return refusal
end
if refusal then
  return tostring(refusal)
end
if held == 0 or redis.call('EXISTS', token) == 0 then
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  if redis.call('INCR', token) < micros then
    redis.call('SET', token, string.format('%.0f', micros))
  end
end
write_hold(lock, holder, held, count, tonumber(ARGV[3]))
return '+' .. redis.call('GET', token)`,
  operands: (keys, args) => [3, keys.lock, keys.cancelled, keys.token, args.holder, args.count, args.leaseMs],
  decode: text,
};

/** free a lock whoever holds it, at most once per request. */
export const lockForceRelease: Script<
  { lock: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'lock/force-release',
  sha1: 'fa396f3432a91140283769a95983a1477152bf94',
  source: `-- lock/force-release
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 600000)
  return answer
end
local lock, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
end
answer = tostring(redis.call('DEL', lock))
if answer == '1' then
  redis.call(ARGV[3], ARGV[4], '0')
end
return record(requests, number, floor, answer)`,
  operands: (keys, args) => [2, keys.lock, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** who holds a lock, and how long its lease still runs. */
export const lockInspect: Script<
  { lock: string },
  Record<string, never>,
  string
> = {
  name: 'lock/inspect',
  sha1: '9636e0de470c5dcfaf93aecda0b8c42ed8215092',
  source: `-- lock/inspect
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if fields[i] == 'mode' then
    return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
  end
end
table.insert(fields, 1, redis.call('PTTL', KEYS[1]))
return cjson.encode(fields)`,
  operands: (keys) => [1, keys.lock],
  decode: text,
};

/** state how many of a holder's holds are still alive, and free the lock at none. */
export const lockRelease: Script<
  { lock: string; cancelled: string },
  { holder: string; count: number; burnMs: number; publish: string; channel: string },
  number
> = {
  name: 'lock/release',
  sha1: 'ed3b6e51b8a491f43dc608654c83db0348494909',
  source: `-- lock/release
local lock, holder, count, burn_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if burn_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', burn_ms)
end
if redis.call('HEXISTS', lock, holder) == 0 then
  return redis.call('EXISTS', lock) == 1 and -1 or -2
end
if count > 0 then
  redis.call('HSET', lock, holder, count)
  return 0
end
redis.call('HDEL', lock, holder)
if redis.call('EXISTS', lock) == 1 then
  return 0
end
redis.call(ARGV[4], ARGV[5], '0')
return 1`,
  operands: (keys, args) => [2, keys.lock, keys.cancelled, args.holder, args.count, args.burnMs, args.publish, args.channel],
  decode: integer,
};

/** renew many leases at once, and say of each whether it is still held. */
export const lockRenew: Script<
  { locks: readonly string[] },
  { claims: readonly string[] },
  string
> = {
  name: 'lock/renew',
  sha1: '2c667369f61ad82d10d11deece7c2e874938afc9',
  source: `-- lock/renew
local answers = {}
for i = 1, #KEYS do
  local lock, holder, lease_ms = KEYS[i], ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local held = redis.pcall('HEXISTS', lock, holder)
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  if held == 1 then
    if lease_ms > redis.call('PTTL', lock) then
      redis.call('PEXPIRE', lock, lease_ms)
    end
    answers[i] = '1'
  else
    answers[i] = redis.call('EXISTS', lock) == 1 and '2' or '0'
  end
end
return table.concat(answers)`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, ...args.claims],
  decode: text,
};

/** make sure that a request that was given up never runs, or tell what it did. */
export const requestsCancel: Script<
  { requests: string },
  { number: number; floor: number },
  string
> = {
  name: 'requests/cancel',
  sha1: '437f16ce8d4e1b1e7914b597d300bee32a199c4d',
  source: `-- requests/cancel
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 600000)
  return answer
end
local answer = recall(KEYS[1], ARGV[1])
if answer then
  return answer
end
return record(KEYS[1], ARGV[1], ARGV[2], 'cancelled')`,
  operands: (keys, args) => [1, keys.requests, args.number, args.floor],
  decode: text,
};

/** how long each of many locks that are waited for still has another holder. */
export const waitsProbe: Script<
  { locks: readonly string[] },
  { holders: readonly string[] },
  string
> = {
  name: 'waits/probe',
  sha1: '8662866895c7e30c104f8a536ec72f23a19c0ae4',
  source: `-- waits/probe
local lives = {}
for i = 1, #KEYS do
  local held = redis.pcall('HEXISTS', KEYS[i], ARGV[i])
  lives[i] = held == 0 and string.format('%.0f', redis.call('PTTL', KEYS[i])) or '-2'
end
return table.concat(lives, ' ')`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, ...args.holders],
  decode: text,
};
